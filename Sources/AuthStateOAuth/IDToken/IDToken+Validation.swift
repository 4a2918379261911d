import AuthStateFoundation
public import AuthStateJOSE

extension IDToken {
    /// Checks signature and claims (OpenID Connect Core, sections 3.1.3.7, 3.1.3.8, 3.3.2.11 and 12.2), the signature first.
    ///
    /// - Parameters:
    ///   - keys: The keys that the provider publishes; nil when it publishes none.
    ///   - expectation: The values that the token has to match.
    ///   - stage: The part of the flow, for errors.
    /// - Returns: Why the token can be believed.
    /// - Throws: `AuthStateError` with `.invalidSignature` or `.invalidIDToken` that names the check.
    @discardableResult
    public func validate(
        keys: JSONWebKeySet?, expectation: IDTokenExpectation, stage: AuthStateError.Stage = .token
    ) throws -> IDTokenTrust {
        let trust: IDTokenTrust
        do { trust = try verifySignature(keys: keys, expectation: expectation) } catch {
            throw AuthStateError(refusedSignature: error, stage: stage)
        }
        try validateClaims(expectation: expectation, stage: stage)
        return trust
    }

    /// Checks the signature alone (section 3.1.3.7, 6 to 8).
    package func verifySignature(
        keys: JSONWebKeySet?, expectation: IDTokenExpectation
    ) throws(JOSEError) -> IDTokenTrust {
        let (policy, algorithm) = (expectation.policy, token.header.algorithm)
        if algorithm.isSymmetric, let key = try expectation.sharedKey(for: algorithm) {
            try token.verify(with: key, allowed: policy.algorithms)
            return .signature
        }
        let isUnsigned = algorithm == .unsecured && token.signature.isEmpty
        let isAskedFor = isUnsigned && policy.algorithms.contains(.unsecured) || keys == nil && policy.trustsTLS
        if isUnsigned || keys == nil, TrustCheck.idTokenUnsigned.holds(isAskedFor && !expectation.isFrontChannel) {
            return .tls
        }
        let published = keys ?? JSONWebKeySet(keys: [])
        try token.verify(with: signingKeys(published, expectation), allowed: policy.algorithms)
        return .signature
    }

    /// Whether the signature's key is one that the provider publishes.
    package func needsPublishedKeys(_ expectation: IDTokenExpectation) -> Bool {
        let algorithm = token.header.algorithm
        let isOther = algorithm.isSymmetric || algorithm == .unsecured
        return !(isOther && expectation.policy.algorithms.contains(algorithm))
    }

    /// Checks the claims alone: for a renewal when the provider's keys cannot be reached.
    package func validateClaims(expectation: IDTokenExpectation, stage: AuthStateError.Stage) throws {
        for check in IDTokenCheck.all where check.trust.isOn {
            guard let failure = check.failure(self, expectation) else { continue }
            throw AuthStateError(
                .invalidIDToken, stage: stage, "The ID token failed a check: \(check.name) (\(check.section)).",
                expected: failure.expected, received: failure.received, hint: failure.hint)
        }
    }

    /// The claims, and `typ`, whose checks the token passes before it fails one, in the order of the checks, and the check that
    /// fails; nil for none.
    package func checkedClaims(_ expectation: IDTokenExpectation) -> (passed: [String], failed: String?) {
        var passed: [String] = []
        for check in IDTokenCheck.all where check.trust.isOn {
            guard check.failure(self, expectation) == nil else {
                return (passed.filter { $0 != check.name }, check.name)
            }
            let isThere = check.name == "typ" ? token.header.type != nil : claim(check.name) != nil
            if isThere, !passed.contains(check.name) { passed.append(check.name) }
        }
        return (passed, nil)
    }
}

extension AuthStateError {
    /// An error for a signature that cannot be accepted, in the terms of the flow.
    package init(refusedSignature error: JOSEError, of content: String = "ID token", stage: Stage) {
        if error.code == .backendUnavailable {
            self.init(
                .libraryUnavailable, stage: stage, "The \(content)'s signature cannot be verified here.",
                hint: "Install the library that the message names.", underlying: error)
        } else {
            self.init(
                .invalidSignature, stage: stage, "The \(content)'s signature cannot be accepted: \(error.message).",
                expected: error.expected, received: error.received,
                hint: error.signatureHint)
        }
    }
}

extension JOSEError {
    /// The advice for a signature that is refused; nil where only the provider can act.
    fileprivate var signatureHint: String? {
        switch code {
        case .algorithmNotAllowed: "Have the client registered for one of the expected algorithms."
        case .keyMismatch where expected?.hasSuffix("bytes") == true:
            "Get a longer secret from the provider. Tolerate shortSecret if that is impossible."
        default: nil
        }
    }
}
