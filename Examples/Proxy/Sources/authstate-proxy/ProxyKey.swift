import AuthStateJOSE

/// The first segment of each path that the proxy serves, which other users of the machine and web pages cannot guess.
struct ProxyKey: Sendable {
    /// The header field that may have the key instead of the path.
    static let field = "X-Authstate-Key"

    /// The segment: 192 random bits.
    let segment = Base64URL.encode(SecureRandom.bytes(24))

    /// Returns whether a segment is the key, in a time that depends on its length only.
    func opens(_ segment: some StringProtocol) -> Bool { ConstantTime.equals(self.segment, segment) }
}
