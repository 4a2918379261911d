import AuthStateFoundation
import AuthStateJOSE

@testable import AuthStateOAuth

/// What leads from a resource to a login: a line with a URL, a line with a `WWW-Authenticate` value, then a document that is
/// read as the resource's metadata and as a client's.
func fuzzResource(_ bytes: [UInt8]) {
    let (url, rest) = bytes.firstLineAndRest
    let (line, body) = Array(rest).firstLineAndRest
    let challenges = AuthenticationChallenge.parse([line.text]) ?? []
    let challenge = AuthenticationChallenge.answerable(in: challenges)
    if let place = challenge?.resourceMetadata {
        let parts = URIReference(place.absoluteString)
        require(parts.hasScheme("https") || parts.hasScheme("http"), "metadata by HTTP alone")
        requireSameHost(place, parts)
    }
    let document = Data(body)
    let metadata = accepted { try ProtectedResourceMetadata(parsing: document) }
    let scopes = ScopeSelection.first(challenge, resource: metadata, server: nil)
    require(
        scopes.allSatisfy(\.isValid) && Set(scopes).count == scopes.count, "scopes that a request can hold, each once")
    require(!scopes.contains(.offlineAccess), "offline_access where the server lists it alone")
    if let identifier = accepted({ try ResourceIdentifier(url.text) }) { check(identifier, metadata) }
    check(ClientDocumentInput(url: url.text, document: document))
}

private func check(_ identifier: ResourceIdentifier, _ metadata: ProtectedResourceMetadata?) {
    let again = accepted { try ResourceIdentifier(identifier.rawValue) }
    require(again == identifier, "the canonical form is its own canonical form")
    require(identifier.hasOrigin(of: identifier.url), "a resource has its own origin")
    requireSameHost(identifier.url, URIReference(identifier.rawValue))
    for (_, place) in identifier.metadataLocations {
        require(identifier.hasOrigin(of: place), "metadata are looked for at the resource's origin")
    }
    guard let metadata else { return }
    require(
        metadata.authorizationServers.count == metadata.document["authorization_servers"]?.arrayValue?.count ?? 0,
        "every server is an issuer")
    for source in [ProtectedResourceMetadata.Source.challenge, .path, .root] {
        for tolerances in [[], [.parentResource]] as [Set<Tolerance>] {
            let named = accepted { try metadata.check(for: identifier, from: source, tolerances: tolerances) }
            guard let named, let other = accepted({ try ResourceIdentifier(named) }) else { continue }
            require(other.origin == identifier.origin, "tokens for the resource's own origin")
        }
    }
}

private struct ClientDocumentInput {
    var url: String
    var document: Data
}

private func check(_ input: ClientDocumentInput) {
    guard let document = accepted({ try ClientMetadataDocument(parsing: input.document, at: input.url) }) else {
        return
    }
    require(ClientMetadataDocument.problem(with: input.url) == nil, "a client's URL by the rules")
    let json = document.json
    require(json["client_id"]?.stringValue == input.url && json["client_secret"] == nil, "its own URL and no secret")
    for key in json["jwks"]?["keys"]?.arrayValue ?? [] {
        require(key["d"] == nil && key["k"] == nil, "public keys alone")
    }
    let again = accepted { try ClientMetadataDocument(parsing: Data(json.serialized()), at: input.url) }
    require(again != nil, "what was read can be hosted")
}
