/// HMAC as a signature (RFC 7518, section 3.2), on top of any backend.
///
/// The RFC asks for keys as long as the digest; client secrets in the field are shorter, so only empty ones are refused.
struct HMACSignature: SignatureVerifier, SignatureSigner {
    let function: HashFunction
    let key: SecretBytes
    let backend: any CryptoBackend

    func sign(_ message: [UInt8]) throws(JOSEError) -> [UInt8] {
        guard TrustCheck.emptySecret.holds(!key.bytes.isEmpty) else {
            throw JOSEError(.malformed, "a symmetric key is empty")
        }
        return try backend.authenticationCode(function, key: key.bytes, of: message)
    }

    func isValid(_ signature: [UInt8], for message: [UInt8]) throws(JOSEError) -> Bool {
        ConstantTime.equals(signature, try sign(message))
    }
}
