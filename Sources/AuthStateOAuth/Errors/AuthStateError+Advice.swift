extension AuthStateError {
    static let scopeAdvice = "Ask for scopes that the provider knows and that the client may have."

    private static let logIn = "Log in again."
    private static let startAgain = "Start the login again."
    private static let softwareStatement = "Use a software statement of an authority that the provider trusts."
    private static let network = "Check the network and the address, then try again."
    private static let page = "Log in with a page."
    private static let signature = "Log in again; if it happens again, tell the provider's operator which check failed."
    private static let requestObject =
        "Check which algorithms and request objects the provider takes, and the key that the client is registered with."
    private static let disk = "Check the place of the store, its permissions and its space."

    /// The kind of each code, and the advice where no better one is known. A user who cancelled needs none.
    fileprivate static let table: [Kind: [Code: String?]] = [
        .usage: [.invalidArgument: "Correct the value that the message names."],
        .configuration: [
            .invalidRedirectURI: "Use an absolute URI without a fragment that is registered for the client.",
            .invalidIssuer: "Give the issuer as the provider writes it: an https URL without query and fragment.",
            .insecureURL: "Use https. For tests, http is allowed by allowsInsecureHTTP.",
            .addressNotAllowed: "Allow the address with outsideAddressPolicy, if it belongs to a network of yours.",
            .issuerMismatch: "Give the issuer exactly as the provider's metadata write it.",
            .resourceMismatch: "Use the resource's name as its metadata write it.",
            .clientIssuerMismatch: "Use the client at the server that it belongs to.",
            .issuerNotAllowed: "Add the issuer to the allowed ones, if you trust it.",
            .discoveryFailed: "Check the issuer; where a provider has no metadata, give its endpoints.",
            .invalidMetadata: "Tell the provider's operator, or give the endpoints by hand.",
            .endpointMissing: "Give the endpoint, if the provider has it and its metadata leave it out.",
            .pkceUnsupported: "Have the provider allow S256 for this client.",
            .unsupported: "Leave out what the message names: it is not supported.",
            .invalidClient: "Check the client identifier, and what the client proves itself with.",
            .unauthorizedClient: "Allow this grant for the client at the provider.",
            .unsupportedGrantType: "Use a grant that the provider supports.",
            .unsupportedResponseType:
                "Ask for a response type that the provider supports and that the client is registered for: code, if in doubt.",
            .invalidScope: scopeAdvice,
            .invalidRequest: "Check the request's parameters.",
            .invalidTarget: "Ask for resources that the provider knows and that the client may use.",
            .invalidAuthorizationDetails: "Ask for authorization details that the provider knows.",
            .invalidRequestURI: requestObject, .invalidRequestObject: requestObject,
            .expiredLoginHintToken: "Get a new login hint token.",
            .unknownUserID: "Check the hint: it has to name a user whom the provider knows.",
            .invalidBindingMessage: "Use a shorter message, of letters and digits.",
            .invalidDPoPProof: "Check this machine's clock, and which algorithms the provider takes for DPoP.",
            .revocationUnsupported: "Tokens of this kind stay valid until they expire; revoke the refresh token.",
            .registrationRedirectURIRefused: "Register with what the provider allows.",
            .invalidClientMetadata: "Register with what the provider allows.",
            .invalidSoftwareStatement: softwareStatement, .unapprovedSoftwareStatement: softwareStatement,
            .initialAccessTokenRejected:
                "Give the provider's initial access token, or register the client on its pages.",
            .registrationTokenRejected: "Register the client again.",
            .credentialUnavailable: "Put the credential where the program reads it.",
            .credentialWithheld:
                "Say in the program where the credential may be sent: ClientCredential.restricted(to:).",
            .portInUse: "Use port 0 for any free port, or end the program that holds it.",
            .browserUnavailable: "Open the address in another browser, or log in with a device code.",
            .libraryUnavailable: "Install the library, or use another one with Cryptography.use(_:).",
            .insecureConnection: "Check the address, and the authority of the server's certificate.",
        ],
        .refused: [
            .stateMismatch: "Start the login again, and use the newest browser tab.",
            .issuerParameterMismatch: "Do not continue: this is how a mix-up attack looks.",
            .callbackMismatch: "Use the redirect URI as the browser shows it: scheme, host, port, path and query.",
            .duplicateParameter: startAgain, .authorizationExpired: startAgain,
            .openedTwice: "Start the login again, and open the address once.",
            .malformedResponse:
                "Check that the endpoint is the right one; if it is, tell its operator what it answers.",
            .responseTooLarge: "Check that the endpoint is the right one, or allow more with maximumResponseBytes.",
            .redirected: "Use the endpoint's final URL.",
            .unsupportedTokenType: "Have the provider issue tokens of the type that was asked for.",
            .invalidIDToken: signature, .invalidSignature: signature, .invalidAuthorizationResponse: signature,
            .invalidUserInfo: "Tell the provider's operator which check failed.",
            .invalidLogoutToken: "Tell the provider's operator which check failed; the session stays.",
            .subjectMismatch: "Do not use the answer: it is about another user.",
            .accountChanged: "Log in with the account that the request is for.",
            .providerError: "Look for the error in the provider's documentation.",
        ],
        .transient: [
            .unreachable: network, .timedOut: network, .connectionLost: network,
            .serverError: "Try again later.", .temporarilyUnavailable: "Try again later.",
            .authorizationPending: "Finish the login on the other device.",
            .slowDown: "Ask less often.",
            .useDPoPNonce: "Try again.",
        ],
        .store: [
            .storeLocked: "Try again, or end the program that holds the lock.",
            .deviceLocked: "Unlock the device, then try again.",
            .storeUnreadable: disk, .storeUnwritable: disk,
            .storeReadOnly: "Log in and renew in the program that writes the store.",
            .storeCorrupt: "Move the stored state away and log in again.",
            .storeTooNew: "Update this program; the stored state was left as it is.",
            .storeExposed: "Let only the owner read the stored state.",
            .storeUntrusted: "Use a place that no other user can change.",
            .storeConflict: "Load the state again and decide anew.",
        ],
        .reauthenticationRequired: [
            .notLoggedIn: "Log in.",
            .accessDenied: "Log in again and allow the access that is asked for.",
            .deviceCodeExpired: "Log in again, and confirm it in time.",
            .missingUserCode: "Ask the user for the code that they share with the provider.",
            .invalidUserCode: "Ask the user for the code that they share with the provider.",
            .invalidGrant: logIn, .transactionFailed: logIn, .refusedWithoutReason: logIn, .noRefreshToken: logIn,
            .tokenRejected: "Renew the token, or log in again.",
            .loginRequired: page, .consentRequired: page, .accountSelectionRequired: page, .interactionRequired: page,
            .insufficientUserAuthentication: "Log in again as the provider asks, or ask for less.",
        ],
        .resource: [.insufficientScope: "Log in again with the scope that is needed."],
        .cancelled: [.cancelled: nil, .userCancelled: nil],
    ]

    static let advice: [Code: String] = table.values.reduce(into: [:]) { advice, codes in
        advice.merge(codes.compactMapValues(\.self)) { first, _ in first }
    }
}

extension AuthStateError.Code {
    static let kinds: [Self: AuthStateError.Kind] = Dictionary(
        uniqueKeysWithValues: AuthStateError.table.flatMap { kind, codes in codes.keys.map { ($0, kind) } })
}
