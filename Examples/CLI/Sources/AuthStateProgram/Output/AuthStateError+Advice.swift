public import AuthStateKit
import AuthStatePlatform

extension AuthStateError {
    /// The error with advice in this program's words: the command or option that helps, for the selected login.
    ///
    /// - Parameter login: The facts of the login.
    public func advised(for options: CommonOptions, _ login: LoginFacts = LoginFacts()) -> AuthStateError {
        let resource = login.resource
        var copy = advised(for: login)
        copy.hint = copy.hint.map { Self.leaving($0, to: login) }
        if resource != nil, let step = Self.resourceSteps[stage] { copy.message = "\(step): \(copy.message)" }
        if code == .storeCorrupt, options.state != nil {
            copy.hint = copy.hint.map { $0 + " If it is none, choose another file with --state." }
        }
        copy.hint = copy.hint?.replacing("'authstate logout", with: "'authstate logout\(options.selection)")
        let names = copy.hint?.contains("'authstate login --for") == true
        copy.hint = copy.hint?.replacing(
            "'authstate login", with: "'authstate login\(options.loginSelection(for: names ? nil : resource))")
        let key = AuthStateKey(rawValue: options.profile)
        if kind == .store || code == .notLoggedIn && stage == .store && received == nil,
            let location = try? StateLocation(options),
            let place = try? location.store(key: key).path(for: key), !copy.description.contains(place),
            // One that names another file is about that.
            copy.received?.hasPrefix("/") != true
        {
            copy.received =
                (copy.received ?? (code == .notLoggedIn ? "nothing" : nil)).map { "\($0) in \(place)" } ?? place
        }
        return copy
    }

    /// The error with advice in this program's words.
    var advised: AuthStateError { advised(for: LoginFacts()) }

    private func advised(for login: LoginFacts) -> AuthStateError {
        var copy = self
        guard !isAdvised || doesNotKnowClient && login.isRegistered else { return copy }
        if let advice = clientAdvice(for: login) ?? resourceAdvice(for: login.resource) {
            copy.hint = advice
            return copy
        }
        if namesTolerance || refusesAssertion || refusesClient {
            // The library's own advice is the best: a tolerance that accepts this very answer, what to check of an assertion, or
            // of what the client proved itself with.
        } else if let recognizedFailure {
            copy.hint = Self.recognizedAdvice[recognizedFailure.name] ?? recognizedFailure.hint
        } else if let advice = Self.stageAdvice[stage]?[code] {
            copy.hint = advice
        } else if stage != .logout, let advice = Self.advice[code], advice != Self.withoutPrompt || asksNothing {
            copy.hint = advice
        } else if code == .timedOut, stage == .authorization {
            copy.hint =
                login.lacks([.page])
                ? "Try again, or allow more time with --timeout." : Self.recognizedAdvice[.noAnswerCame]
        }
        if code == .invalidDPoPProof {
            copy.hint = copy.hint?.replacing("give the request a dpopKey", with: "log in with --dpop")
            if stage == .authorization, hint?.hasPrefix("Check this machine's clock") == true {
                copy.hint = "Check this machine's clock. If it is right, try --tolerate unproven-push."
            }
        }
        if let hint, let advice = hint.firstRange(of: "Ask with prompt=consent"), copy.hint != hint {
            copy.hint = [copy.hint, String(hint[advice.lowerBound...])].compactMap(\.self).joined(separator: " ")
        }
        copy.hint = copy.hint.map(Self.naming)
        if code == .endpointMissing { copy.hint = endpointAdvice }
        if code == .invalidClientMetadata, response?.errorDescription?.contains("'device_authorization'") == true {
            copy.hint = Self.otherDeviceGrant
        }
        return copy
    }

    /// A hint with the program's options in place of the library's properties and tolerances.
    private static func naming(_ hint: String) -> String {
        var hint = options.reduce(hint) { $0.replacing($1.0, with: $1.1) }
        for name in ToleranceName.allCases where hint.contains("Tolerate ") {
            hint = hint.replacing("Tolerate \(name.tolerance.rawValue)", with: "Use --tolerate \(name.rawValue)")
        }
        return hint
    }

    /// The advice about a client that the provider does not know, or knows otherwise; nil leaves the general one.
    private func clientAdvice(for login: LoginFacts) -> String? {
        switch code {
        // A revocation may be refused to all public clients, without a word about this one.
        case .invalidClient where stage == .logout && response == nil: nil
        case _ where doesNotKnowClient && login.isRegistered:
            stage == .logout ? Self.forgottenHere : Self.forgotten(by: login.resource == nil ? login.issuer : nil)
        case _ where doesNotKnowClient && login.has([.document]): Self.unreadDocument
        case _ where doesNotKnowClient && login.has([.registration]) && !namesTolerance: Self.refusedAtOnce
        case .invalidClient where login.lacks([.identifier, .document, .registration]) && stage != .logout:
            Self.namelessClient
        case .accessDenied where login.lacks([.user]) && stage != .registration: Self.withoutUser
        case .invalidDPoPProof where login.lacks([.dpop]), .useDPoPNonce where login.lacks([.dpop]): Self.unbound
        case .accessDenied where stage == .registration:
            login.isRegistered ? Self.advice[.registrationTokenRejected] : Self.advice[.initialAccessTokenRejected]
        case .invalidClient
        where stage != .logout && login.has([.identifier]) && login.lacks([.secret, .key])
            && [nil, .clientRefused].contains(recognizedFailure?.name):
            Self.publicClient
        default: nil
        }
    }

    private static func forgotten(by issuer: String?) -> String {
        let provider = issuer.map { " --issuer \($0.printable())" } ?? ""
        return "The provider does not know the client that registered here, or not its secret: "
            + "register another one with 'authstate login\(provider) --register-anew'."
    }
    private static let forgottenHere =
        "The provider refused the client that registered here. If it no longer knows it, forget it with 'authstate logout "
        + "--local'."
    private static let publicClient =
        "Check --client-id, and that the client is registered as a public one: this login proves nothing. "
        + "Give a secret with --client-secret-env, a key with --private-key."

    private static let unreadDocument =
        "Check that the provider can read the document at --client-metadata-url, and what it says of the client; or use "
        + "--client-id with a client that is registered on the provider's pages."
    private static let refusedAtOnce =
        "The provider refused the client that it has just registered: tell its operator, or use --client-id with one that is "
        + "registered on its pages."
    private static let namelessClient =
        "Give the client that the provider wants beside the assertion, with --client-id."
    private static let withoutUser = "Allow the client this access at the provider: this login asks no user."
    private static let unbound = "The provider wants tokens to be bound to a key: log in with --dpop."

    /// A hint without what the login lacks: the parts, what the hint says of them, and what is left of it.
    private static let lacking: [(parts: Set<LoginFacts.Part>, words: String, rest: String)] = [
        ([.identifier], "Check --client-id; if it is right, allow this grant", "Allow this grant"),
        (
            [.identifier], "Check --client-id and the secret of --client-secret-env",
            "Check the secret that is registered"
        ),
        ([.identifier], "Check --client-id, the", "Check the"),
        ([.identifier], "Check --client-id, and that it belongs", "Check that the client belongs"),
        ([.identifier], "Check --client-id, and what", "Check what"),
        ([.identifier], "for --client-id at the provider", "for the client at the provider"),
        ([.identifier], "--redirect-uri and --client-id are registered there", "--redirect-uri is registered there"),
        ([.identifier], "check --redirect-uri and --client-id", "check --redirect-uri"),
        ([.secret], "the client's secret or key", "the client's key"),
        ([.secret], "the secret or key that", "the key that"),
        ([.secret, .key], ", or not its secret", ""),
        ([.secret, .key], ", and what the client proves itself with", ""),
        (
            [.secret, .key], "Check --client-id, the client's key, and --auth-method; if they are",
            "Check --client-id; if it is"
        ),
        ([.secret, .key], "Check the client's key, and --auth-method; if they are right, allow", "Allow"),
        ([.secret, .key], "Check the key that the login was made with; some", "Some"),
        ([.key], "the client's secret or key", "the client's secret"),
        ([.key], "the secret or key that", "the secret that"),
        ([.key], ", and the key that the client is registered with", ""),
        ([.page], ", and that the redirect URI is registered, character by character", ""),
        ([.page], ", and that the redirect URI is registered", ""),
        ([.page], "--auth-method, --grant and --redirect-uri", "--auth-method and --grant"),
        (
            [.page], "Give a --redirect-uri that the provider allows",
            "Register the client by 'authstate register' with --metadata that the provider allows, or on its pages, and use "
                + "--client-id"
        ),
    ]

    private static func leaving(_ hint: String, to login: LoginFacts) -> String {
        lacking.reduce(hint) { login.lacks($1.parts) ? $0.replacing($1.words, with: $1.rest) : $0 }
    }

    /// Whether the provider does not know the client, or not its secret: by its code, or in words.
    var doesNotKnowClient: Bool { code == .invalidClient || recognizedFailure?.name == .unknownClient }

    /// Whether the hint names a command or an option of this program already.
    private var isAdvised: Bool { hint.map { $0.contains("'authstate ") || $0.contains(" --") } ?? false }

    /// Whether a login or renewal by an assertion was refused, which no login by hand mends.
    private var refusesAssertion: Bool { code == .invalidGrant && hint?.contains("the assertion's") == true }

    /// Whether the client was refused, and the provider does not say why.
    private var refusesClient: Bool {
        (code == .invalidClient || code == .unauthorizedClient && httpStatus == 401)
            && [nil, .clientRefused].contains(recognizedFailure?.name)
    }

    /// Whether the login was one without a page.
    private var asksNothing: Bool { hint?.contains("prompt=none") == true }

    private var namesTolerance: Bool {
        ToleranceName.allCases.contains { hint?.contains("Tolerate \($0.tolerance.rawValue)") == true }
    }

    /// The advice without an endpoint.
    private var endpointAdvice: String {
        switch expected {
        case "device_authorization_endpoint":
            "If the provider has one that its metadata leave out, give --device-authorization-endpoint."
        case "pushed_authorization_request_endpoint": "Log in without --par."
        case "backchannel_authentication_endpoint": "Log in without --grant ciba."
        default:
            hint?.replacing("its client identifier", with: "--client-id") ?? "This provider does not offer it."
        }
    }

    /// What the library's advice names, and the option for it.
    private static let options = [
        ("Ask with prompt=consent", "Log in with --prompt consent"), ("Without max_age", "Without --max-age"),
        ("Ask for the response mode ", "Log in with --response-mode "),
        ("Log in with a page.", "Log in with 'authstate login'."),
        ("the client identifier and its secret", "--client-id and the secret of --client-secret-env"),
        ("the client identifier", "--client-id"), ("(client_secret_post)", "(--auth-method post)"),
        ("(client_secret_basic)", "(--auth-method basic)"),
        ("Tolerate endpointAudience", "Use --assertion-audience endpoint"),
        // This program takes the endpoints from the metadata.
        (", or give the endpoints by hand", ""), ("Give the endpoints by hand, or ask", "Ask"),
        (
            "Say in the program where the credential may be sent: ClientCredential.restricted(to:).",
            "Find out which program changed the stored login, and log in again with 'authstate login'."
        ),
        ("http is allowed by allowsInsecureHTTP", "--allow-insecure-http allows http"),
        ("Add the issuer to the allowed ones", "Allow it with --allow-issuer"),
        ("Ask for scopes that the provider knows and that the client may have.", Self.scopeAdvice),
        ("Use the redirect URI as", "Give --redirect-uri as"), ("Load the state again and decide anew.", "Try again."),
        ("Use the endpoint's final URL.", "Ask the provider's operator to name the final URL in the metadata."),
        ("Check the issuer.", "Check --issuer."),
        // Settings of a program's code.
        ("log in without a DPoP key", "log in without --dpop"),
        ("Give the request a dpopKey, to which the token can be bound.", "Log in with --dpop."),
        ("Ask for resources that the provider", "Check --resource and --scope: they have to name what the provider"),
        (
            "ask for a scope of the client's own API beside openid",
            "add a scope of the client's own API to openid in --scope"
        ),
        ("Ask for authorization details that the provider knows.", "Check --authorization-details."),
        (
            "Set signingCredential of the request, or give its client a credential.",
            "Log in with --request-object, and with --private-key or --client-secret-env."
        ),
        (
            "Push the request (isPushed), or leave out signingCredential.",
            "Log in with --par, or without --request-object."
        ),
        ("Ask for a response type that the provider supports", "Give a --response-type that the provider supports"),
        (
            "Use discovery, give issuer and jwksURI, or leave out the scope openid.",
            "Log in with a --scope without openid."
        ),
        ("leave out the scope openid", "leave openid out of --scope"),
        (", or allow more with maximumResponseBytes", ""), (", or use another one with Cryptography.use(_:)", ""),
    ]

    /// Advice that names this program's options.
    private static let recognizedAdvice: [RecognizedFailure.Name: String] = [
        .redirectMismatch:
            "Register the redirect URI for --client-id at the provider, character by character (Microsoft: as one of mobile "
            + "and desktop applications), or give the one that is registered with --redirect-uri.",
        .unknownClient: "Check --client-id, and that it belongs to this --issuer or --provider.",
        .secretMissing: "Give the client's secret with --client-secret-env, or register a public client.",
        .secretUnwanted: "Log in without what proves the client: it is registered as a public one.",
        .scopeRefused: scopeAdvice,
        .noAnswerCame:
            "If the browser shows the provider's error, or an empty page, check that --redirect-uri and --client-id are "
            + "registered there, character by character. Else try again and finish in the browser, or allow more time with "
            + "--timeout.",
        .appTransportSecurity: "Use https with TLS 1.2 or newer.",
        .untrustedCertificate:
            "Name the certificate authority of the server with --ca-file, if it is a private one that you trust.",
    ]

    private static let scopeAdvice = "Ask in --scope for what the provider knows and the client may have."

    private static let metadataAdvice =
        "Check --auth-method, --grant and --redirect-uri against what the provider allows."

    private static let initialTokenAdvice =
        "Give the provider's token for this with --initial-access-token-env, or register the client on its pages and use "
        + "--client-id."

    /// Advice for a stage whose failure is not one of the login.
    private static let stageAdvice: [Stage: [Code: String]] = [
        .registration: [
            .providerError: "Register the client on the provider's pages and use --client-id.",
            .invalidRequest: metadataAdvice, .accessDenied: initialTokenAdvice,
            .refusedWithoutReason:
                "Check --auth-method, --grant and --redirect-uri against what the provider allows, or register the client on "
                + "its pages and use --client-id.",
        ],
        // No user was asked yet.
        .authorization: [
            .refusedWithoutReason:
                "Check that the provider offers this to the client, and what the client proves itself with."
        ],
        // An introspection or exchange has a valid login.
        .token: [
            .refusedWithoutReason:
                "Check that the provider offers this to the client, and what the client proves itself with.",
            .unsupportedGrantType: "Allow this grant for --client-id at the provider, or use another --grant.",
        ],
        .refresh: [
            .invalidScope:
                "Ask in --scope for a part of what was granted; for more, log in again with 'authstate login --scope'."
        ],
        .userinfo: [.insufficientScope: "Log in again with 'authstate login --scope', with openid in it."],
        .usage: [.portInUse: "Use another --port, or --port 0 for any free port, or end the program that holds it."],
        .logout: [
            .portInUse: "Use port 0 in --post-logout-redirect-uri for any free port, or end the program that holds it.",
            .invalidRedirectURI: "Use --post-logout-redirect-uri http://127.0.0.1:0/callback, or --local.",
            .unauthorizedClient:
                "Check the secret or key that the login was made with; some providers let only some clients revoke.",
        ],
    ]

    private static let logIn = "Log in with 'authstate login'."
    private static let withoutPrompt = "Log in with 'authstate login', without --prompt none."

    /// glewlwyd announces the device grant under the name of RFC 8628, and registers it under one of its own.
    private static let otherDeviceGrant =
        "Check --auth-method, --grant and --redirect-uri against what the provider allows. It has a name of its own for the "
        + "device grant: --metadata 'grant_types=[\"device_authorization\",\"refresh_token\"]'."

    private static let advice: [Code: String] = [
        .notLoggedIn: logIn,
        .invalidGrant: "Log in again with 'authstate login'.",
        .noRefreshToken: "Log in again with 'authstate login'; some providers need --scope \"openid offline_access\", "
            + "and --prompt consent with it.",
        .tokenRejected: "Log in again with 'authstate login'.",
        .refusedWithoutReason: "Log in again with 'authstate login'.",
        .interactionRequired: withoutPrompt,
        .loginRequired: withoutPrompt,
        .consentRequired: withoutPrompt,
        .accountSelectionRequired: withoutPrompt,
        .insufficientScope: "Log in again with 'authstate login --scope', asking for the scope that is needed.",
        .deviceCodeExpired: "Log in again, and confirm it in time.",
        .unknownUserID: "Check --login-hint: it has to name a user whom the provider knows.",
        .missingUserCode: "Give the code that the user shares with the provider with --user-code-env.",
        .invalidUserCode: "Check the code in the variable that --user-code-env names.",
        .invalidBindingMessage: "Give a shorter --binding-message, of letters and digits.",
        .accessDenied: "Log in again and allow the access that is asked for.",
        .browserUnavailable:
            "Use --grant device to log in on another device, --paste to copy the address by hand, or a --browser-command "
            + "that works here.",
        .openedTwice:
            "Log in again, and open the address once. If you did, another program opened it: one that checks links, or one of "
            + "another user of this machine, who may want you to work with their account. --paste and --grant device need no "
            + "such address.",
        .portInUse: "Use port 0 in --redirect-uri for any free port, or end the program that holds it.",
        .invalidRedirectURI: "Use --redirect-uri http://127.0.0.1:0/callback, or --paste.",
        .insecureURL: "Use https; a login with --allow-insecure-http allows http, for tests.",
        .insecureConnection: "Check the address, and --ca-file for a private certificate authority.",
        .unauthorizedClient:
            "Check --client-id, the client's secret or key, and --auth-method; if they are right, allow this grant for the "
            + "client at the provider.",
        .storeCorrupt: "Remove a damaged login with 'authstate logout --local'.",
        .discoveryFailed: "Check --issuer, or --domain and --realm.",
        .registrationRedirectURIRefused: "Give a --redirect-uri that the provider allows.",
        .invalidClientMetadata: metadataAdvice,
        .invalidIssuer: "Give --issuer as the provider writes it, for example https://op.example.",
        .issuerMismatch:
            "Give --issuer exactly as the provider writes it, a slash at its end included, or the right --domain and "
            + "--realm. At Azure AD B2C, set the issuer claim to the one with tfp, which has metadata.",
        .initialAccessTokenRejected: initialTokenAdvice,
        .registrationTokenRejected: "Forget the client with 'authstate logout --local', and register again.",
    ]
}
