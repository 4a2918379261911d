import AuthStateJOSE
import AuthStateOAuth

extension ProviderState {
    /// How assertions may be signed: with a secret, or with a private key.
    static let assertionAlgorithms: (secret: [SignatureAlgorithm], key: [SignatureAlgorithm]) = (
        [.hs256, .hs384, .hs512],
        [.es256, .es384, .es512, .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .edDSA]
    )

    /// The assertion that a request carries, not checked yet (RFC 7521, section 4.2).
    func clientAssertion(_ parameters: Parameters) throws(ProviderRefusal) -> JSONWebToken? {
        guard let compact = parameters["client_assertion"] else { return nil }
        guard [ClientAssertion.type, ClientAssertion.spiffeType].contains(parameters["client_assertion_type"]) else {
            throw .wrongAssertion("The type of the assertion is not supported.")
        }
        guard let token = try? JSONWebToken(parsing: compact) else {
            throw .wrongAssertion("The assertion is not a signed JWT.")
        }
        return token
    }

    /// Checks that an assertion is the client's, meant for this provider, in time, and new (RFC 7523, section 3).
    mutating func accept(
        _ assertion: JSONWebToken, of client: Client, at endpoint: OpenIDProvider.Endpoint
    ) throws(ProviderRefusal) {
        let subject = assertion.claims["sub"]?.stringValue ?? ""
        if let party = party(of: assertion) {
            guard party.clients[subject] == client.id else {
                throw .wrongAssertion("The assertion's sub is not the client's.")
            }
            if let fault = check(assertion, of: party) { throw .wrongAssertion(fault) }
            return
        }
        guard subject == client.id else { throw .wrongAssertion("The assertion's sub is not the client.") }
        if let fault = use(assertion, of: client, at: endpoint) { throw .wrongAssertion(fault) }
    }

    /// Uses up an assertion that a client issued, for any subject; returns nil, or the fault.
    mutating func use(_ assertion: JSONWebToken, of client: Client, at endpoint: OpenIDProvider.Endpoint) -> String? {
        let claims = assertion.claims
        let audience = configuration.wantsEndpointAudience ? url(of: endpoint) : issuer
        let expiry = claims["exp"]?.doubleValue ?? -.infinity
        let identifier = claims["jti"]?.stringValue ?? ""
        let checks: [(holds: Bool, fault: String)] = [
            (claims["iss"]?.stringValue == client.id, "The assertion's iss is not the client."),
            (claims["aud"]?.stringValue == audience, "The assertion's aud is not \(audience)."),
            (now < expiry, "The assertion expired, or has no exp."),
            (expiry <= now + 3600, "The assertion is valid for too long."),
            (claims["iat"]?.doubleValue.map { $0 <= now + 60 } ?? true, "The assertion is from the future."),
            (!identifier.isEmpty, "The assertion has no jti."),
            (assertion.isSigned(by: client), "The assertion's signature is not the client's."),
        ]
        if let failed = checks.first(where: { !$0.holds }) { return failed.fault }
        return useOnce("\(client.id) \(identifier)", until: expiry)
    }

    /// Remembers an assertion until it ends; returns nil, or that it was used before.
    mutating func useOnce(_ name: String, until end: Double) -> String? {
        usedAssertions = usedAssertions.filter { now < $0.value }
        return usedAssertions.updateValue(end, forKey: name) == nil ? nil : "The assertion was used before."
    }
}

extension ProviderState {
    /// The other party that an assertion names as its issuer; nil for a client, and for an unknown one.
    func party(of assertion: JSONWebToken) -> OpenIDProvider.AssertionIssuer? {
        let issuer = assertion.claims["iss"]?.stringValue
        return configuration.assertionIssuers.first { $0.issuer == issuer }
    }

    /// Checks that another party signed an assertion for this provider, and that it is in time; returns nil, or the fault.
    /// A program may present it until the party replaces it.
    func check(_ assertion: JSONWebToken, of party: OpenIDProvider.AssertionIssuer) -> String? {
        let audience = assertion.claims["aud"]
        let audiences = audience?.arrayValue?.compactMap(\.stringValue) ?? [audience?.stringValue].compactMap(\.self)
        guard audiences.contains(issuer) else { return "The assertion's aud is not \(issuer)." }
        guard let expiry = assertion.claims["exp"]?.doubleValue, now < expiry else {
            return "The assertion expired, or has no exp."
        }
        let keys = JSONWebKeySet(keys: party.keys)
        guard (try? assertion.verify(with: keys, allowed: Set(Self.assertionAlgorithms.key))) != nil else {
            return "The assertion's signature is not its issuer's."
        }
        return nil
    }
}

extension JSONWebToken {
    /// Whether it claims to be signed with a shared secret; the signature proves it or not.
    var isKeyedBySecret: Bool { ProviderState.assertionAlgorithms.secret.contains(header.algorithm) }

    func isSigned(by client: OpenIDProvider.Client) -> Bool {
        let (secretAlgorithms, keyAlgorithms) = ProviderState.assertionAlgorithms
        guard isKeyedBySecret else {
            return (try? verify(with: JSONWebKeySet(keys: client.keys), allowed: Set(keyAlgorithms))) != nil
        }
        let key = VerificationKey(JSONWebKey(secret: (client.secret ?? "").utf8))
        return (try? verify(with: key, allowed: Set(secretAlgorithms))) != nil
    }
}

extension ProviderRefusal {
    fileprivate static func wrongAssertion(_ fault: String) -> Self { Self("invalid_client", fault, status: 401) }
}
