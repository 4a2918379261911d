import ArgumentParser
import AuthStateKit

/// A provider's deviation from the standards that the user accepts.
enum ToleranceName: String, ExpressibleByArgument, CaseIterable {
    case unencodedBasic = "unencoded-basic"
    case unprovenPush = "unproven-push"
    case missingTokenType = "missing-token-type"
    case accessTokenType = "access-token-type"
    case clientIDBesideBasic = "client-id-beside-basic"
    case missingNonce = "missing-nonce"
    case changedAudience = "changed-audience"
    case formEncodedTokens = "form-encoded-tokens"
    case shortSecret = "short-secret"
    case parentResource = "parent-resource"
    case plainAssertionType = "plain-assertion-type"
    case refreshTokenGrace = "refresh-token-grace"
    case foreignAuthorizationEndpoint = "foreign-authorization-endpoint"
    case unnamedResource = "unnamed-resource"

    var tolerance: Tolerance {
        switch self {
        case .unencodedBasic: .unencodedBasic
        case .unprovenPush: .unprovenPush
        case .missingTokenType: .missingTokenType
        case .accessTokenType: .accessTokenType
        case .clientIDBesideBasic: .clientIDBesideBasic
        case .missingNonce: .missingNonce
        case .changedAudience: .changedAudience
        case .formEncodedTokens: .formEncodedTokens
        case .shortSecret: .shortSecret
        case .parentResource: .parentResource
        case .plainAssertionType: .plainAssertionType
        case .refreshTokenGrace: .refreshTokenGrace
        case .foreignAuthorizationEndpoint: .foreignAuthorizationEndpoint
        case .unnamedResource: .unnamedResource
        }
    }
}
