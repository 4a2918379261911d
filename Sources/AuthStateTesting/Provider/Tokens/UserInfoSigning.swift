import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateUserAgent

/// How userinfo is signed for one client (OpenID Connect Core, section 5.3.2).
struct UserInfoSigning: Sendable {
    var algorithm: SignatureAlgorithm
    /// The client's secret, for HS256.
    var secret: String?

    /// The claims as a JWT.
    func response(
        _ claims: [String: JSONValue], keys: ProviderKeys, signature: OpenIDProvider.Deviations.Signature
    ) throws(JOSEError) -> LoopbackResponse {
        var deviations = OpenIDProvider.Deviations()
        deviations.signature = signature
        let token = UnsignedIDToken(claims: claims, algorithm: algorithm, secret: secret)
        return LoopbackResponse(
            status: 200, headers: ["Content-Type": "application/jwt", "Cache-Control": "no-store"],
            body: Array(try token.signed(keys: keys, deviations: deviations).utf8))
    }
}
