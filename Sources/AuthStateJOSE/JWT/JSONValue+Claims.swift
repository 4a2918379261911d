extension JSONValue {
    /// The claims as their sender meant them: null ones are absent, a time may stand in a string, a name may be a number.
    package var tidyClaims: JSONValue {
        guard var claims = objectValue else { return self }
        for (name, value) in claims {
            switch (name, value) {
            case (_, .null):
                Leniency.nullClaim.note(name)
                claims[name] = nil
            case ("exp", .string(let text)), ("iat", .string(let text)), ("nbf", .string(let text)),
                ("auth_time", .string(let text)):
                guard let number = Double(text).flatMap(JSONNumber.init) else { continue }
                Leniency.textForScalar.note(name)
                claims[name] = .number(number)
            case ("sub", .number), ("sid", .number), ("jti", .number), ("acr", .number):
                guard let digits = value.digits else { continue }
                Leniency.numberForName.note(name)
                claims[name] = .string(digits)
            case ("amr", .string):
                Leniency.textForList.note(name)
                claims[name] = [value]
            case ("aud", .array(let list)):
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
}
