extension JSONValue {
    /// The claims as their sender meant them: null ones are absent, a time may stand in a string, a name may be a number.
    package var tidyClaims: JSONValue {
        guard var claims = objectValue else { return self }
        for (name, value) in claims {
            switch value {
            case .null:
                Leniency.nullClaim.note(name)
                claims[name] = nil
            case .string(let text) where Self.times.contains(name):
                guard let number = Double(text).flatMap(JSONNumber.init) else { continue }
                Leniency.textForScalar.note(name)
                claims[name] = .number(number)
            case .number where Self.names.contains(name):
                guard let digits = value.digits else { continue }
                Leniency.numberForName.note(name)
                claims[name] = .string(digits)
            case .string where name == "amr":
                Leniency.textForList.note(name)
                claims[name] = [value]
            case .array(let list) where name == "aud":
                var seen: Set<JSONValue> = [.null, ""]
                let audience = list.filter { seen.insert($0).inserted }
                guard audience.count < list.count else { continue }
                Leniency.unusableMember.note(name)
                claims[name] = .array(audience)
            default: continue
            }
        }
        return .object(claims)
    }

    /// The claims that are seconds since 1970.
    private static let times = ["exp", "iat", "nbf", "auth_time"]
    /// The claims that are names.
    private static let names = ["sub", "sid", "jti", "acr"]
}
