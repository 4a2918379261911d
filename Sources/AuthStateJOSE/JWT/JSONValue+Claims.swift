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

    /// The digits of a whole number that is known exactly: two users' numbers never have the same ones.
    package var digits: String? {
        guard case .number(let number) = self else { return nil }
        return number.int64Value.map(String.init)
    }

    /// Whether the value says as little as its absence: null, an empty text, list or object, or false.
    package var isContentless: Bool { [.null, .string(""), .bool(false), .array([]), .object([:])].contains(self) }
}
