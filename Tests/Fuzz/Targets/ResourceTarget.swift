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
    let more = ScopeSelection.stepUp(from: [Scope(rawValue: "own")], challenge, server: nil)
    require(more.allSatisfy(\.isValid) && Set(more).count == more.count, "scopes that a request can hold, each once")
    require(more.contains("own"), "what was asked for before is asked for again")
    if let metadata { checkSigned(metadata) }
    if let identifier = accepted({ try ResourceIdentifier(url.text) }) { check(identifier, metadata) }
    check(ClientDocumentInput(url: url.text, document: document))
}

/// The signed form of a document, made of the document itself: by the key that is trusted, and as it came.
private func checkSigned(_ metadata: ProtectedResourceMetadata) {
    require(
        accepted { try metadata.verified(by: SigningWorld.keys, now: SigningWorld.now) } == nil,
        "a signature that no key made")
    guard let key = SigningWorld.key, let token = try? JSONWebToken.sign(claims: .object(metadata.document), with: key)
    else {
        return
    }
    let signed = accepted {
        try ProtectedResourceMetadata(document: ["resource": "https://a.example", "signed_metadata": .string(token)])
    }
    guard let signed, let found = accepted({ try signed.verified(by: SigningWorld.keys, now: SigningWorld.now) }) else {
        return
    }
    require(metadata.document["iss"]?.stringValue == SigningWorld.issuer, "the key of another issuer")
    let (end, start) = (metadata.document["exp"], metadata.document["nbf"])
    require(end == nil || end?.doubleValue ?? 0 > SigningWorld.now.timeIntervalSince1970, "exp")
    require(start == nil || start?.doubleValue ?? .infinity <= SigningWorld.now.timeIntervalSince1970, "nbf")
    require(
        found.signedMetadata == nil && found.document["iss"] == nil, "the token's own claims are not the resource's")
    let named = metadata.document["resource"] ?? "https://a.example"
    require(found.document["resource"] == named, "signed values count")
}

/// The key for signed metadata, and the time.
private enum SigningWorld {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let issuer = "https://trust.example"
    static let key = try? SigningKey.generate(.es256)
    static let keys = [issuer: JSONWebKeySet(keys: [key?.publicKey].compactMap(\.self))]
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
    // Servers that are no issuers are left out, but never all of them.
    let value = metadata.document["authorization_servers"]
    let servers = (value?.arrayValue ?? [value].compactMap(\.self)).compactMap(\.stringValue).filter { !$0.isEmpty }
    let issuers = metadata.authorizationServers.map(\.rawValue)
    require(issuers.isEmpty == servers.isEmpty, "of the servers that are named one is an issuer")
    require(Set(issuers).isSubset(of: servers), "an issuer is one that is named")
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
