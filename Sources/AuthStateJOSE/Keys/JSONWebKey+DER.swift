/// The DER forms of keys, which the platforms' libraries read and write.
extension JSONWebKey {
    static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    static let ecPublicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    static let ed25519: [UInt8] = [0x2B, 0x65, 0x70]

    /// The public part as a SubjectPublicKeyInfo (RFC 5280, section 4.1); nil for a symmetric key.
    var subjectPublicKeyInfo: [UInt8]? {
        func identifier(_ content: [UInt8]) -> [UInt8] { DER.element(DER.Tag.objectIdentifier, content) }
        switch material {
        case .rsa(let modulus, let exponent):
            let key = DER.sequence(DER.integer(modulus), DER.integer(exponent))
            return DER.sequence(DER.sequence(identifier(Self.rsaEncryption), DER.null), DER.bitString(key))
        case .ellipticCurve(let curve, let x, let y):
            let algorithm = DER.sequence(identifier(Self.ecPublicKey), identifier(curve.objectIdentifier))
            return DER.sequence(algorithm, DER.bitString([0x04] + x + y))
        case .ed25519(let x):
            return DER.sequence(DER.sequence(identifier(Self.ed25519)), DER.bitString(x))
        case .symmetric:
            return nil
        }
    }

    /// The private key: PKCS #1 (RFC 8017) for RSA, SEC 1 (RFC 5915) for EC, PKCS #8 (RFC 8410) for Ed25519.
    ///
    /// The last two carry no public part, so that the library derives it. Nil when the key is not private.
    public var privateKeyDER: [UInt8]? {
        func identifier(_ content: [UInt8]) -> [UInt8] { DER.element(DER.Tag.objectIdentifier, content) }
        switch (material, privateMaterial) {
        case (.rsa(let modulus, let exponent), .rsa(let d, let p, let q, let dp, let dq, let qi)):
            return DER.sequence(
                DER.integer([0]), DER.integer(modulus), DER.integer(exponent), DER.integer(d.bytes),
                DER.integer(p.bytes), DER.integer(q.bytes), DER.integer(dp.bytes), DER.integer(dq.bytes),
                DER.integer(qi.bytes))
        case (.ellipticCurve(let curve, _, _), .scalar(let d)):
            let parameters = DER.element(0xA0, identifier(curve.objectIdentifier))
            return DER.sequence(DER.integer([1]), DER.octetString(d.bytes), parameters)
        case (.ed25519, .scalar(let d)):
            let key = DER.octetString(DER.octetString(d.bytes))
            return DER.sequence(DER.integer([0]), DER.sequence(identifier(Self.ed25519)), key)
        default:
            return nil
        }
    }

    /// Reads the public numbers from a SubjectPublicKeyInfo; nil for other types and curves.
    static func material(subjectPublicKeyInfo bytes: [UInt8]) -> KeyMaterial? {
        var document = DERReader(bytes)
        guard var info = document.enter(), var algorithm = info.enter(),
            let type = algorithm.read(DER.Tag.objectIdentifier), let key = info.readBitString()
        else { return nil }
        switch Array(type) {
        case rsaEncryption:
            var outer = DERReader(key)
            guard var numbers = outer.enter(), let modulus = numbers.readInteger(), let exponent = numbers.readInteger()
            else { return nil }
            return .rsa(modulus: modulus, exponent: exponent)
        case ecPublicKey:
            guard let identifier = algorithm.read(DER.Tag.objectIdentifier).map(Array.init),
                let curve = EllipticCurve.allCases.first(where: { $0.objectIdentifier == identifier }),
                key.count == 1 + 2 * curve.coordinateLength, key.first == 0x04
            else { return nil }
            let point = key.dropFirst()
            return .ellipticCurve(
                curve, x: Array(point.prefix(curve.coordinateLength)), y: Array(point.suffix(curve.coordinateLength)))
        case ed25519:
            return key.count == 32 ? .ed25519(x: key) : nil
        default:
            return nil
        }
    }

    /// Reads the private numbers from PKCS #1 or SEC 1, by the type of the public ones.
    static func privateMaterial(of material: KeyMaterial, der bytes: [UInt8]) -> PrivateKeyMaterial? {
        var document = DERReader(bytes)
        guard var key = document.enter(), key.readInteger() != nil else { return nil }
        switch material {
        case .rsa:
            var numbers: [SecretBytes] = []
            while let number = key.readInteger() { numbers.append(SecretBytes(number)) }
            guard numbers.count == 8, key.isAtEnd else { return nil }
            return .rsa(d: numbers[2], p: numbers[3], q: numbers[4], dp: numbers[5], dq: numbers[6], qi: numbers[7])
        case .ellipticCurve(let curve, _, _):
            guard let d = key.read(DER.Tag.octetString), d.count <= curve.coordinateLength else { return nil }
            return .scalar(SecretBytes(Array(d).padded(to: curve.coordinateLength)))
        case .ed25519, .symmetric:
            return nil
        }
    }
}
