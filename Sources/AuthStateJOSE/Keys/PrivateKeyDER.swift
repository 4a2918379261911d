/// A private key in DER, taken apart for backends whose library does not read every form.
public struct PrivateKeyDER: Sendable {
    /// The key in the form of its type, without the wrapping of PKCS #8 (RFC 5958): PKCS #1 (RFC 8017) for RSA, SEC 1
    /// (RFC 5915) for curves, an octet string (RFC 8410) for Ed25519.
    package let content: SecretBytes
    /// The key's type, as PKCS #8 names it; nil without its wrapping.
    private let type: [UInt8]?

    /// Takes a key from PKCS #8, or in the form of its type.
    public init(_ der: [UInt8]) {
        var document = DERReader(der)
        // PKCS #1 has another integer in place of the algorithm.
        if var info = document.enter(), info.readInteger() != nil, var algorithm = info.enter(),
            let wrapped = info.read(DER.Tag.octetString)
        {
            content = SecretBytes(wrapped)
            type = algorithm.read(DER.Tag.objectIdentifier).map(Array.init) ?? []
        } else {
            content = SecretBytes(der)
            type = nil
        }
    }

    /// The seed of an Ed25519 key, 32 bytes; nil for other keys.
    public var ed25519Seed: [UInt8]? {
        var document = DERReader(content.bytes)
        guard type == JSONWebKey.ed25519, let seed = document.read(DER.Tag.octetString), document.isAtEnd,
            seed.count == 32
        else { return nil }
        return Array(seed)
    }

    /// Reads an RSA key; throws ``JOSEError``: `unsupportedAlgorithm` for a key of a type that has no signatures here,
    /// such as X25519; `malformed` for a key of another type, or one whose numbers are not allowed.
    public func rsaKey() throws(JOSEError) -> JSONWebKey {
        if let type, ![JSONWebKey.rsaEncryption, JSONWebKey.ecPublicKey, JSONWebKey.ed25519].contains(type) {
            throw JOSEError(.unsupportedAlgorithm, "the key's type or curve is unknown")
        }
        var document = DERReader(content.bytes)
        guard var numbers = document.enter(), numbers.readInteger() != nil, let modulus = numbers.readInteger(),
            let exponent = numbers.readInteger()
        else { throw Self.refusal }
        let material = KeyMaterial.rsa(modulus: modulus, exponent: exponent)
        guard let privateMaterial = JSONWebKey.privateMaterial(of: material, der: content.bytes) else {
            throw Self.refusal
        }
        // The same checks as for a key that came as JSON: lengths above all.
        return try JSONWebKey(json: JSONWebKey(material, privateMaterial: privateMaterial).privateJSON)
    }

    private static let refusal = JOSEError(.malformed, "the private key cannot be imported")
}
