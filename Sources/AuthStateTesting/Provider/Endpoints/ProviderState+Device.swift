import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateUserAgent

extension ProviderState {
    /// The device authorization endpoint (RFC 8628, section 3.1).
    mutating func authorizeDevice(_ request: Request) throws(ProviderRefusal) -> [String: JSONValue] {
        let client = try authenticate(request)
        let (wanted, resources) = try wishes(request.parameters, of: client, for: .deviceCode)
        let userCode = Self.newUserCode()
        let lifetime = configuration.deviceCodeLifetime.inSeconds
        let interval = configuration.devicePollingInterval.inSeconds
        let deviceCode = keep(
            PendingLogin(
                grantType: .deviceCode, clientID: client.id, scopes: wanted, resources: resources, userCode: userCode,
                expiresAt: now + lifetime, interval: interval))
        var answer: [String: JSONValue] = [
            "device_code": .string(deviceCode), "user_code": .string(userCode),
            "verification_uri": .string(url(of: .deviceVerification)), "expires_in": JSONValue(floatLiteral: lifetime),
            "interval": JSONValue(floatLiteral: interval),
        ]
        if configuration.sendsCompleteVerificationURI {
            answer["verification_uri_complete"] = .string("\(url(of: .deviceVerification))?user_code=\(userCode)")
        }
        return answer
    }

    /// The page where a user enters the user code (RFC 8628, section 3.3); it decides by itself when logins need no
    /// page.
    mutating func verifyDevice(_ request: Request) throws(ProviderRefusal) -> LoopbackResponse {
        let parameters = request.parameters
        guard let userCode = parameters["user_code"] else { return ProviderPage.device(nil, message: nil).response }
        guard let (code, device) = waitingDevice(userCode: userCode) else {
            return ProviderPage.device(nil, message: "This code is not known here, or it has ended.").response
        }
        var user = configuration.login == .automatic ? configuration.users.first : nil
        if configuration.login == .page {
            func page(_ message: String?) -> LoopbackResponse {
                ProviderPage.device((device.userCode ?? "", device.clientID), message: message).response
            }
            guard request.method == .post, let decision = parameters["decision"] else { return page(nil) }
            if decision == "allow" {
                user = configuration.user(in: parameters)
                guard user != nil else { return page("The name or the password is wrong.") }
            }
        }
        decide(code, allowing: user)
        return ProviderPage.deviceDecided(isAllowed: user != nil).response
    }

    /// A device's login that waits for a decision, and its device code.
    func waitingDevice(userCode: String) -> (code: String, device: PendingLogin)? {
        let wanted = Self.plain(userCode)
        let found = pendingLogins.first { _, login in
            login.isWaiting(at: now) && login.userCode.map(Self.plain) == wanted
        }
        return found.map { ($0.key, $0.value) }
    }

    /// Eight consonants: easy to type, hard to guess, and no words (RFC 8628, section 6.1).
    private static func newUserCode() -> String {
        let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
        var random = SystemRandomNumberGenerator()
        let code = (0..<8).compactMap { _ in letters.randomElement(using: &random) }
        return "\(String(code[..<4]))-\(String(code[4...]))"
    }

    /// The compared part of a user code: its letters, in capitals.
    private static func plain(_ userCode: String) -> String { userCode.uppercased().filter(\.isLetter) }
}
