import AuthStateJOSE
import AuthStateOAuth

extension ProviderState {
    /// The backchannel authentication endpoint (OpenID Connect CIBA Core 1.0, sections 7 and 13). The login is decided
    /// at once, unless logins need a page: then the test or the page has to decide.
    mutating func authenticateBackchannel(_ request: Request) throws(ProviderRefusal) -> [String: JSONValue] {
        let client = try authenticate(request)
        let parameters = request.parameters
        let (wanted, resources) = try wishes(parameters, of: client, for: .ciba)
        guard wanted.contains("openid") else { throw .invalidScope("The scope openid is missing.") }
        let user = try hintedUser(parameters)
        try check(userCode: parameters["user_code"], of: user)
        if let message = parameters["binding_message"] {
            guard message.unicodeScalars.count <= 64, message.printable() == message else {
                throw ProviderRefusal("invalid_binding_message", "At most 64 characters that print.")
            }
        }
        let lifetime = try requestedLifetime(parameters["requested_expiry"])
        let interval = configuration.devicePollingInterval.inSeconds
        let code = keep(
            PendingLogin(
                grantType: .ciba, clientID: client.id, scopes: wanted, resources: resources, user: user,
                expiresAt: now + lifetime, interval: interval))
        switch configuration.login {
        case .automatic: decide(code, allowing: user)
        case .denied: decide(code, allowing: nil)
        case .page: break
        }
        return [
            "auth_req_id": .string(code), "expires_in": JSONValue(floatLiteral: lifetime),
            "interval": JSONValue(floatLiteral: interval),
        ]
    }

    /// The logins that wait for the user whom a hint names as in a request.
    func waitingLogins(of hint: String) -> [(code: String, user: User)] {
        guard let wanted = user(named: hint) else { return [] }
        return pendingLogins.compactMap { code, login in
            guard login.isWaiting(at: now), let user = login.user, user == wanted else { return nil }
            return (code, user)
        }
    }

    /// The user whom a hint names, by name, subject or address.
    func user(named hint: String) -> User? {
        configuration.users.first { [$0.name, $0.subject, $0.claims["email"]?.stringValue].contains(hint) }
    }

    /// The user to be asked; exactly one hint names them (section 7.1).
    private func hintedUser(_ parameters: Parameters) throws(ProviderRefusal) -> User {
        let names = ["login_hint", "id_token_hint", "login_hint_token"].filter { parameters[$0] != nil }
        guard let name = names.first, names.count == 1, let value = parameters[name] else {
            throw .invalidRequest("There has to be exactly one hint.")
        }
        var subject: String? = value
        if name != "login_hint" {
            // A hint proves nothing and gives its sender nothing: signatures are not verified.
            let claims = (try? JSONWebToken(parsing: value))?.claims
            if name == "login_hint_token", let end = claims?["exp"]?.doubleValue, end <= now {
                throw ProviderRefusal("expired_login_hint_token", "The login hint token has ended.")
            }
            subject = claims?["sub"]?.stringValue
        }
        guard let user = subject.flatMap(user(named:)) else {
            throw ProviderRefusal("unknown_user_id", "The hint names no user of this provider.")
        }
        return user
    }

    private func check(userCode: String?, of user: User) throws(ProviderRefusal) {
        guard let expected = user.backchannelCode else { return }
        guard let userCode else { throw ProviderRefusal("missing_user_code", "This user is asked with a code only.") }
        guard ConstantTime.equals(expected, userCode) else {
            throw ProviderRefusal("invalid_user_code", "The user code is wrong.")
        }
    }

    private func requestedLifetime(_ text: String?) throws(ProviderRefusal) -> Double {
        guard let text else { return configuration.deviceCodeLifetime.inSeconds }
        guard let seconds = Int(text), seconds > 0 else {
            throw .invalidRequest("requested_expiry is not a positive number of seconds.")
        }
        return Double(seconds)
    }
}
