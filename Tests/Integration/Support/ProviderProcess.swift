import Foundation

/// A provider that runs.
struct ProviderProcess: Sendable {
    let provider: Provider
    let issuer: String
    /// The issuer of glewlwyd's second provider, which wants pushed requests and DPoP nonces.
    let strictIssuer: String?
    /// PEM file of the authority behind its certificate; nil without TLS.
    let certificateAuthorityFile: String?

    /// Private key of glewlwyd's client `keyjwt`, whose `kid` is `client-1`.
    var clientKeyFile: String { "\(folder)/client.pem" }

    /// The certificate of glewlwyd's client `mtls` or `selfsigned`, or of `stranger`, which it does not know, and its
    /// key.
    func clientCertificateFiles(_ name: String) -> (certificate: String, key: String) {
        ("\(folder)/\(name).pem", "\(folder)/\(name).key")
    }

    /// Its log, as far as it has one.
    var log: String { (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? "" }

    private let folder: String
    private let program: Program

    /// The line that a start script prints.
    private struct Announcement: Decodable {
        var issuer: String
        var strictIssuer: String?
        var ca: String?
        var state: String

        enum CodingKeys: String, CodingKey {
            case issuer, ca, state
            case strictIssuer = "strict_issuer"
        }
    }

    /// Starts a provider, and returns when it is ready.
    static func start(_ provider: Provider) async throws -> ProviderProcess {
        let program = try Program.start(
            ["\(Provider.scripts)/\(provider.software.rawValue)/start.sh"], environment: provider.environment)
        do {
            guard let line = try await program.firstLine() else {
                throw NotStarted(provider: provider, errors: program.errors)
            }
            let announcement = try JSONDecoder().decode(Announcement.self, from: Data(line.utf8))
            return ProviderProcess(
                provider: provider, issuer: announcement.issuer, strictIssuer: announcement.strictIssuer,
                certificateAuthorityFile: announcement.ca, folder: announcement.state, program: program)
        } catch {
            program.send(SIGTERM)
            throw error
        }
    }

    /// Ends the provider, and returns when it is gone.
    func stop() async throws {
        program.send(SIGTERM)
        _ = try await program.result(within: .seconds(10))
    }

    private struct NotStarted: Error, CustomStringConvertible {
        let provider: Provider
        let errors: String

        var description: String { "\(provider.testDescription) did not start (see \(Provider.installer)): \(errors)" }
    }
}

extension ProviderProcess {
    /// The redirect URI of a login's answer; glewlwyd knows a block of ports, the others take any.
    var redirectURI: String {
        switch provider.software {
        case .glewlwyd: "http://127.0.0.1:\(RedirectPorts.next())/callback"
        case .djangoOAuthToolkit, .doorkeeper, .pyop, .allauth, .openIDConnect: "http://127.0.0.1:0/callback"
        }
    }
}
