import ArgumentParser
import AuthStateKit

extension Login {
    /// Refuses options that make no sense in a login for an API, or miss another.
    func checkResourceLogin() throws {
        let foreign: [(String, Bool)] = [
            ("--provider", connection.provider != nil), ("--identifier", identity.identifier != nil),
            ("--resource", !tokens.resource.isEmpty),
            ("--device-authorization-endpoint", connection.deviceAuthorizationEndpoint != nil),
            ("--client-certificate", client.certificateFile != nil),
            ("--id-token-alg", client.idTokenAlgorithm != nil), ("--userinfo-alg", client.userInfoAlgorithm != nil),
            ("--auth-method apple", client.key.authMethod == .apple),
        ]
        if let option = foreign.first(where: \.1)?.0 {
            throw ValidationError("--for goes without \(option): the API says where to log in, and for what.")
        }
        try checkResourceClient()
        try checkResourceGrant()
        if authorization.isHybrid, !tokens.scopes().contains(.openID) {
            throw ValidationError("--response-type \"code id_token\" needs openid in --scope.")
        }
    }

    /// Checks the ways to be a client: an identifier given by hand, a document, a registration.
    private func checkResourceClient() throws {
        let (isKnown, hasDocument) = (client.clientID != nil, resource.documentURL != nil)
        if isKnown, hasDocument {
            throw ValidationError("--client-id goes without --client-metadata-url: either names the client.")
        }
        if connection.issuer != nil, !isKnown, !client.register, client.assertion == nil {
            throw ValidationError(
                "--for goes with --issuer only beside --client-id, --register or --assertion-file: the server that knows "
                    + "them.")
        }
        if let option = client.assertionOption, connection.issuer == nil {
            throw ValidationError("\(option) with --for needs --issuer: the server that the assertion is for.")
        }
        if registration.initialAccessTokenEnv != nil, connection.issuer == nil {
            throw ValidationError("--initial-access-token-env with --for needs --issuer: the API may name any server.")
        }
        if client.clientSecretEnv != nil, !isKnown { throw ValidationError("--client-secret-env needs --client-id.") }
        if let option = client.assertionOption, !isKnown, !hasDocument, !isGrantedByAssertion {
            throw ValidationError("With --for, \(option) needs --client-id, or --grant jwt-bearer.")
        }
        if client.key.privateKey != nil, !isKnown, !hasDocument {
            throw ValidationError("With --for, --private-key needs --client-id or --client-metadata-url.")
        }
        if isKnown || hasDocument && !client.register, let option = registration.firstGiven {
            throw ValidationError("\(option) goes with --register.")
        }
        guard let method = client.key.authMethod else { return }
        let accepted: [KeyOptions.AuthMethod] =
            hasDocument ? [.none, .privateKeyJWT, .spiffeJWT] : isKnown ? [method] : [.none, .basic, .post]
        if !accepted.contains(method) {
            let option = hasDocument ? "--client-metadata-url" : "--for without --client-id"
            throw ValidationError("\(option) goes without --auth-method \(method.rawValue).")
        }
    }

    private func checkResourceGrant() throws {
        guard tokens.grant != .authorizationCode else { return }
        if tokens.grant == .ciba { throw ValidationError("--for goes without --grant ciba.") }
        if tokens.grant == .jwtBearer, !isGrantedByAssertion, client.clientID == nil {
            throw ValidationError("With --for, --grant jwt-bearer needs --client-id, or --assertion-file.")
        }
        if tokens.grant == .clientCredentials, client.credential(of: nil) == nil || client.register {
            throw ValidationError(
                "--grant client-credentials with --for needs --client-id or --client-metadata-url, and --client-secret-env "
                    + "or --private-key.")
        }
        if let option = tokens.optionOfPages {
            throw ValidationError("--grant \(tokens.grant.rawValue) with --for goes without \(option).")
        }
    }
}
