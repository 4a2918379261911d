import AuthStateFoundation

@testable import AuthStateKit
@testable import AuthStateOAuth

/// Discovery documents, read for the issuer that they name.
func fuzzMetadata(_ bytes: [UInt8]) {
    guard let metadata = accepted({ try ProviderMetadata(parsing: Data(bytes)) }) else { return }
    let coded = try? JSONDecoder().decode(ProviderMetadata.self, from: JSONEncoder().encode(metadata))
    require(coded == metadata, "stored and loaded as it was")
    guard let issuer = accepted({ try Issuer(metadata.issuer ?? "") }),
        let configuration = accepted({ try ProviderConfiguration(metadata: metadata, issuer: issuer) })
    else { return }
    let again = try? JSONDecoder().decode(ProviderConfiguration.self, from: JSONEncoder().encode(configuration))
    require(again == configuration, "a configuration is stored and loaded as it was")
    let service = AuthorizationService(transport: NoTransport())
    for endpoint in metadata.endpoints {
        let parts = URIReference(endpoint.absoluteString)
        requireSameHost(endpoint, parts)
        if accepted({ try service.check(endpoint, issuer: nil, addresses: .publicOnly, stage: .discovery) }) != nil {
            require(!parts.reachesThisMachine, "nothing on this machine is public")
            require(parts.host.flatMap { InternetAddress(host: $0) }?.isPublic ?? true, "a public address, or a name")
        }
        guard accepted({ try service.check(endpoint, issuer: issuer, addresses: .any, stage: .discovery) }) != nil
        else {
            continue
        }
        require(parts.hasScheme("https") || parts.isLoopback && issuer.isLoopback, "https, or loopback for loopback")
        require(!parts.isLoopback || issuer.isLoopback, "a remote provider has nothing on this machine")
    }
}

/// Sends nothing.
private struct NoTransport: HTTPTransport {
    func send(_ request: TransportRequest) async throws -> TransportResponse {
        throw TransportError(.unreachable, "Nothing is sent.", requestMayHaveBeenSent: false)
    }
}
