extension JSONWebKey {
    /// Reads a key from its JSON object and checks it (RFC 7517, section 4; RFC 7518, section 6; RFC 8037, section 2).
    ///
    /// Throws ``JOSEError``: `unsupportedAlgorithm` for a type or curve unknown here, `malformed` for everything else:
    /// RSA moduli below 2048 or above 16384 bits, exponents that are even, below 3 or above 64 bits, coordinates longer
    /// than the curve's. A shorter coordinate is padded: some providers strip leading zeros. Optional members
    /// that are null or empty are absent, and numbers may be written in plain base64; a `use`, `alg` or `key_ops` of another
    /// type is malformed, because it may forbid what the key is used for.
    public init(json: JSONValue) throws(JOSEError) {
        guard let members = json.objectValue else { throw JOSEError(.malformed, "a key is not a JSON object") }
        let reader = KeyMembers(members: members)
        switch try reader.requiredText("kty") {
        case "RSA":
            material = try reader.rsaKey()
            privateMaterial = try reader.rsaPrivateKey()
        case "EC":
            let curve = try reader.curve()
            material = .ellipticCurve(
                curve, x: try reader.coordinate("x", of: curve), y: try reader.coordinate("y", of: curve))
            privateMaterial = try reader.scalar(length: curve.coordinateLength)
        case "OKP":
            material = try reader.octetKeyPair()
            privateMaterial = try reader.scalar(length: 32)
        case "oct":
            material = .symmetric(SecretBytes(try reader.bytes("k")))
            privateMaterial = nil
        case let type:
            throw JOSEError(
                .unsupportedAlgorithm, "the key's type is unknown", expected: "RSA, EC, OKP", received: type)
        }
        keyID = try reader.keyID()
        use = try reader.text("use")
        algorithm = try reader.text("alg")
        keyOperations = try reader.texts("key_ops")
        issuer = members["issuer"].map { $0.stringValue ?? "" }
    }
}

private struct KeyMembers {
    let members: [String: JSONValue]

    /// A member; one without content is absent.
    private func member(_ name: String) -> JSONValue? {
        guard let member = members[name], member.isContentless else { return members[name] }
        Leniency.unusableMember.note(name)
        return nil
    }

    private func malformed(_ name: String) -> JOSEError {
        guard let member = members[name] else { return JOSEError(.malformed, "a key has no \(name)") }
        return JOSEError(.malformed, "a key's \(name) is \(member.typeName), not a text")
    }

    /// The name of the key, which a token refers to: one of another type is refused.
    func keyID() throws(JOSEError) -> String? {
        guard case .number(let number) = members["kid"] else { return try text("kid") }
        Leniency.numberForName.note("kid")
        return number.text
    }

    func text(_ name: String) throws(JOSEError) -> String? {
        guard let value = member(name) else { return nil }
        guard let text = value.stringValue else { throw malformed(name) }
        return text
    }

    func requiredText(_ name: String) throws(JOSEError) -> String {
        guard let text = members[name]?.stringValue, !text.isEmpty else { throw malformed(name) }
        return text
    }

    func texts(_ name: String) throws(JOSEError) -> [String]? {
        guard let value = member(name) else { return nil }
        if let text = value.stringValue {
            Leniency.textForList.note(name)
            return [text]
        }
        let texts = value.arrayValue?.compactMap(\.stringValue) ?? []
        guard !texts.isEmpty else { throw malformed(name) }
        if texts.count < value.arrayValue?.count ?? 0 { Leniency.unusableMember.note(name) }
        return texts
    }

    func bytes(_ name: String) throws(JOSEError) -> [UInt8] {
        let text = try requiredText(name)
        if let bytes = Base64URL.decode(text), !bytes.isEmpty { return bytes }
        // The key is the same, and a signature fits it or not.
        guard let bytes = Base64URL.decode(text.inURLAlphabet), !bytes.isEmpty else {
            throw JOSEError(.malformed, "a key's \(name) is not base64url")
        }
        Leniency.keyEncoding.note(name)
        return bytes
    }

    /// A big-endian number without leading zeros.
    func number(_ name: String) throws(JOSEError) -> [UInt8] { Array(try bytes(name).drop { $0 == 0 }) }

    func rsaKey() throws(JOSEError) -> KeyMaterial {
        let modulus = try number("n")
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        guard TrustCheck.rsaKeyLength.holds((2048...16384).contains(bits)) else {
            throw JOSEError(
                .malformed, "an RSA key's modulus has a refused length", expected: "2048 to 16384 bits",
                received: "\(bits) bits")
        }
        let exponent = try number("e")
        let isOdd = exponent.last.map { $0 & 1 == 1 } ?? false
        guard TrustCheck.rsaExponent.holds(isOdd && exponent != [1] && exponent.count <= 8) else {
            throw JOSEError(.malformed, "an RSA key's exponent is even, 1, or longer than 64 bits")
        }
        return .rsa(modulus: modulus, exponent: exponent)
    }

    func rsaPrivateKey() throws(JOSEError) -> PrivateKeyMaterial? {
        guard member("d") != nil else { return nil }
        guard member("oth") == nil else {
            throw JOSEError(.unsupportedAlgorithm, "an RSA key has more than two primes")
        }
        return .rsa(
            d: SecretBytes(try number("d")), p: SecretBytes(try number("p")), q: SecretBytes(try number("q")),
            dp: SecretBytes(try number("dp")), dq: SecretBytes(try number("dq")), qi: SecretBytes(try number("qi")))
    }

    func curve() throws(JOSEError) -> EllipticCurve {
        let name = try requiredText("crv")
        guard let curve = EllipticCurve(rawValue: name) else {
            throw JOSEError(.unsupportedAlgorithm, "the key's curve is unknown", received: name)
        }
        return curve
    }

    func coordinate(_ name: String, of curve: EllipticCurve) throws(JOSEError) -> [UInt8] {
        let bytes = try bytes(name)
        guard bytes.count <= curve.coordinateLength else {
            throw JOSEError(.malformed, "a key's \(name) is longer than the curve's coordinates")
        }
        return bytes.padded(to: curve.coordinateLength)
    }

    func octetKeyPair() throws(JOSEError) -> KeyMaterial {
        let name = try requiredText("crv")
        guard name == "Ed25519" else {
            throw JOSEError(.unsupportedAlgorithm, "the key's curve is unknown", received: name)
        }
        let x = try bytes("x")
        guard x.count == 32 else { throw JOSEError(.malformed, "an Ed25519 key is not 32 bytes long") }
        return .ed25519(x: x)
    }

    func scalar(length: Int) throws(JOSEError) -> PrivateKeyMaterial? {
        guard member("d") != nil else { return nil }
        let d = try bytes("d")
        guard d.count == length else { throw JOSEError(.malformed, "a private key's d has the wrong length") }
        return .scalar(SecretBytes(d))
    }
}

extension String {
    /// Base64 as base64url: without padding, and with the other two characters.
    fileprivate var inURLAlphabet: String {
        let characters = utf8.map { character in
            switch character {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: character
            }
        }
        let end = characters.lastIndex { $0 != UInt8(ascii: "=") }.map { $0 + 1 } ?? 0
        return String(decoding: characters[..<end], as: UTF8.self)
    }
}
