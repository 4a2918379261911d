import AuthStateFoundation
import AuthStateKit

/// Stored states: what is loaded is stored and loaded as it was.
func fuzzArchive(_ bytes: [UInt8]) {
    guard let archive = accepted({ try AuthStateArchive(data: Data(bytes)) }) else { return }
    guard let stored = accepted({ try archive.data() }) else { fatalError("broken: what was loaded can be stored") }
    require(AuthStateArchive.isArchive(stored), "an archive is known by how it begins")
    // A date may lose its last digits, once.
    let once = accepted { try AuthStateArchive(data: stored) }
    let twice = once.flatMap { once in accepted { try AuthStateArchive(data: once.data()) } }
    require(twice != nil && twice == once, "loaded as it was stored")
    require(once?.record.refreshToken == archive.record.refreshToken, "no token is lost")
    var other = archive.record
    if other.refreshToken != nil { other.refreshToken = "another refresh token" }
    if other.idToken != nil { other.idToken = "another ID token" }
    other.lastTokenResponse?.accessToken = "another access token"
    require("\(other)" == "\(archive.record)", "what is said does not depend on a secret")
}
