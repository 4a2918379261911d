import AuthStateKit
import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stored states: what is loaded is stored and loaded as it was.
func fuzzArchive(_ bytes: [UInt8]) {
    guard let archive = accepted({ try AuthStateArchive(data: Data(bytes)) }) else { return }
    guard let stored = accepted({ try archive.data() }) else { fatalError("broken: what was loaded can be stored") }
    require(AuthStateArchive.isArchive(stored), "an archive is known by how it begins")
    let again = accepted { try AuthStateArchive(data: stored) }
    require(again.flatMap { try? $0.data() } == stored, "stored in one way")
    var other = archive.record
    if other.refreshToken != nil { other.refreshToken = "another refresh token" }
    if other.idToken != nil { other.idToken = "another ID token" }
    other.lastTokenResponse?.accessToken = "another access token"
    require("\(other)" == "\(archive.record)", "what is said does not depend on a secret")
}
