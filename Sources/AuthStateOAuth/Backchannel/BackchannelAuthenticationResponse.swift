#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The provider asks the person now; what the tokens are asked for with (CIBA Core, section 7.3).
///
/// An archive of it holds the identifier of the request: whoever reads it, and can speak for the client, gets the tokens
/// once the person has confirmed. The user code is not kept.
public struct BackchannelAuthenticationResponse: Sendable, Hashable, Codable {
    /// The request that was answered, without its user code.
    public var request: BackchannelAuthenticationRequest
    /// `auth_req_id`, what the tokens are asked for with; a secret.
    public var authenticationRequestID: String
    /// When the request ends.
    public var expiresAt: Date
    /// How long to wait between two questions for the tokens, in seconds; 5 when the provider does not say.
    public var interval: Double

    /// Makes a response.
    public init(
        request: BackchannelAuthenticationRequest, authenticationRequestID: String, expiresAt: Date,
        interval: Double = 5
    ) {
        self.request = request
        self.request.userCode = nil
        self.authenticationRequestID = authenticationRequestID
        self.expiresAt = expiresAt
        self.interval = interval
    }
}

extension BackchannelAuthenticationResponse: CustomStringConvertible, CustomReflectable {
    /// The client and the expiry; the identifier stays secret.
    public var description: String { "backchannel authentication of \(request.clientID), until \(expiresAt)" }
    /// What `description` shows.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}
