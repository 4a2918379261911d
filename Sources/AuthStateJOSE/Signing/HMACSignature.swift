/// HMAC as a signature (RFC 7518, section 3.2), on top of any backend.
///
/// The RFC asks for keys as long as the digest. Only empty ones are refused here: a client's secret is held to its length where
/// it becomes a key, because a tolerance may accept it.
struct HMACSignature: SignatureVerifier, SignatureSigner {
    let function: SHA2.Function
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
