import ArgumentParser
import AuthStateKit

/// What a provider may do otherwise than the standards say, when the person says so.
enum ToleranceName: String, ExpressibleByArgument, CaseIterable {
    case unencodedBasic = "unencoded-basic"
    case unprovenPush = "unproven-push"
    case missingTokenType = "missing-token-type"
    case accessTokenType = "access-token-type"
    case clientIDBesideBasic = "client-id-beside-basic"
    case missingNonce = "missing-nonce"
    case shortSecret = "short-secret"
    case missingSecretExpiry = "missing-secret-expiry"

    var tolerance: Tolerance {
        switch self {
        case .unencodedBasic: .unencodedBasic
        case .unprovenPush: .unprovenPush
        case .missingTokenType: .missingTokenType
        case .accessTokenType: .accessTokenType
        case .clientIDBesideBasic: .clientIDBesideBasic
        case .missingNonce: .missingNonce
        case .shortSecret: .shortSecret
        case .missingSecretExpiry: .missingSecretExpiry
        }
    }
}
