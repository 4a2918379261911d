extension AuthorizationCallback {
    /// The one `state` that the answer names, by any response mode, signed ones (JARM) included; nil without one.
    ///
    /// To find the login that an answer may belong to. Nothing is checked here: completing the login does that.
    public var state: String? {
        let states = states
        return states.count == 1 ? states[0] : nil
    }

    /// Every `state` that the answer names, by any response mode, signed ones (JARM) included.
    package var states: [String] {
        let parts = URIReference(url)
        return [parts.query, parts.fragment, formBody.map { $0[...] }].flatMap { text -> [String] in
            guard let text, let parameters = Parameters(answer: text) else { return [] }
            let signed = parameters.values("response").compactMap(SignedAuthorizationResponse.claimedState)
            // An empty one is none: nothing was sent back.
            return parameters.values("state").filter { !$0.isEmpty } + signed
        }
    }

    /// The refusal in an answer without `state`, which nothing ties to a login; nil for every other answer.
    ///
    /// Some providers send errors so. The user agent that brought it says whether it can be one of its trip. It ends a trip and has
    /// no other effect: only a refusal that asks the user to act keeps its code.
    package var unconfirmedRefusal: AuthStateError? {
        guard states.isEmpty else { return nil }
        let modes: [AuthorizationRequest.ResponseMode] = [.query, .fragment, .formPost]
        let answers = modes.compactMap { parameters(by: $0).flatMap { Parameters(answer: $0) } }
        guard let answer = answers.first(where: { $0["error"]?.isEmpty == false }), let error = answer["error"] else {
            return nil
        }
        let response = OAuthErrorResponse(
            error: error, errorDescription: answer.joined("error_description"), errorURI: answer.joined("error_uri"))
        let code = response.code
        let isForPerson = AuthStateError(code, stage: .authorization, "").kind == .reauthenticationRequired
        return AuthStateError(
            isForPerson ? code : .stateMismatch, stage: .authorization,
            "The provider refused the login: \(response.summary). (Unconfirmed: the answer lacks the state.)",
            hint: response.hint(at: .authorization), response: response)
    }

    /// The parameters that came by a response mode, still encoded; nil when nothing came that way.
    func parameters(by mode: AuthorizationRequest.ResponseMode) -> Substring? {
        switch mode.carrier {
        case .formPost: formBody.map { $0[...] }
        case .fragment: URIReference(url).fragment
        default: URIReference(url).query
        }
    }

    /// How the answer came: as it was asked for, else by the first mode that carries one.
    func mode(preferring expected: AuthorizationRequest.ResponseMode) -> AuthorizationRequest.ResponseMode {
        let modes = [expected, .query, .fragment, .formPost]
        return modes.first { Self.hasAnswer(parameters(by: $0) ?? "") } ?? expected
    }

    /// How an answer came, and its parameters as far as they can be read: nothing of it is checked.
    package func answer(to request: AuthorizationRequest) -> (AuthorizationRequest.ResponseMode, Parameters) {
        let mode = mode(preferring: request.effectiveResponseMode)
        return (mode, parameters(by: mode).flatMap { Parameters(answer: $0) } ?? [:])
    }

    /// Whether there is a parameter of an authorization response, also one of an unsupported kind.
    package static func hasAnswer(_ parameters: some StringProtocol) -> Bool {
        let names = ["code", "error", "error_code", "response", "id_token", "access_token"]
        return parameters.split(separator: "&").contains { pair in names.contains { $0 == pair.prefix { $0 != "=" } } }
    }
}
