import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth

extension ProviderState {
    /// A device's login.
    struct DeviceCode: Sendable {
        /// What became of it.
        enum Decision: Sendable { case pending, denied, granted(String) }

        var clientID: String
        var scopes: [String]
        var resources: [String]
        var userCode: String
        var expiresAt: Double
        var interval: Double
        var askedAt: Double?
        var decision = Decision.pending
    }

    /// The device authorization endpoint (RFC 8628, section 3.1).
    mutating func authorizeDevice(
        _ request: OpenIDProvider.Request, now: Double
    ) throws(ProviderRefusal) -> [String: JSONValue] {
        let client = try authenticate(request, now: now)
        guard client.grantTypes.contains(.deviceCode) else {
            throw ProviderRefusal("unauthorized_client", "The client may not use this grant.")
        }
        let wanted = scopes(request.parameters["scope"])
        if let foreign = wanted.first(where: { !configuration.scopes.contains($0) }) {
            throw ProviderRefusal("invalid_scope", "The scope \(foreign) is not known here.")
        }
        let resources = request.parameters.values("resource")
        try check(resources: resources)
        deviceCodes = deviceCodes.filter { now < $0.value.expiresAt + 600 }
        let (deviceCode, userCode) = (newToken(now: now), Self.newUserCode())
        let (lifetime, interval) = (configuration.deviceCodeLifetime, configuration.devicePollingInterval)
        deviceCodes[deviceCode] = DeviceCode(
            clientID: client.id, scopes: wanted, resources: resources, userCode: userCode, expiresAt: now + lifetime,
            interval: interval)
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

    /// The page where a person enters the user code (RFC 8628, section 3.3); it decides by itself where nobody is to log in.
    mutating func verifyDevice(
        _ request: OpenIDProvider.Request, now: Double
    ) throws(ProviderRefusal) -> LoopbackResponse {
        let parameters = request.parameters
        guard let userCode = parameters["user_code"] else {
            return ProviderPage.device(nil, message: nil).response
        }
        guard let code = waitingDevice(userCode: userCode, now: now), let device = deviceCodes[code] else {
            return ProviderPage.device(nil, message: "This code is not known here, or it has ended.").response
        }
        var user = configuration.login == .automatic ? configuration.users.first : nil
        if configuration.login == .page {
            func page(_ message: String?) -> LoopbackResponse {
                ProviderPage.device((device.userCode, device.clientID), message: message).response
            }
            guard request.method == "POST", let decision = parameters["decision"] else { return page(nil) }
            if decision == "allow" {
                user = configuration.users.first {
                    $0.name == parameters["username"] && $0.password == parameters["password"]
                }
                guard user != nil else { return page("That name and password do not belong together.") }
            }
        }
        decide(code, allowing: user, now: now)
        return ProviderPage.deviceDecided(isAllowed: user != nil).response
    }

    /// The device code of a login that waits for a decision.
    func waitingDevice(userCode: String, now: Double) -> String? {
        let wanted = Self.plain(userCode)
        return deviceCodes.first { _, device in
            guard case .pending = device.decision else { return false }
            return Self.plain(device.userCode) == wanted && now < device.expiresAt
        }?.key
    }

    /// Notes what a person decided; without a user the answer is no.
    mutating func decide(_ deviceCode: String, allowing user: OpenIDProvider.User?, now: Double) {
        guard let device = deviceCodes[deviceCode] else { return }
        guard let user else {
            deviceCodes[deviceCode]?.decision = .denied
            return
        }
        let id = newToken(now: now)
        grants[id] = Grant(
            clientID: device.clientID, user: user, scopes: device.scopes, resources: device.resources,
            authenticatedAt: now,
            sessionID: newToken(now: now))
        deviceCodes[deviceCode]?.decision = .granted(id)
    }

    /// A device code (RFC 8628, sections 3.4 and 3.5).
    mutating func redeemDeviceCode(
        _ parameters: Parameters, _ client: OpenIDProvider.Client, key: String?, now: Double
    ) throws(ProviderRefusal) -> ProviderDecision {
        guard let text = parameters["device_code"], let device = deviceCodes[text], device.clientID == client.id else {
            throw ProviderRefusal("invalid_grant", "The device code is not known, or not this client's.")
        }
        deviceCodes[text]?.askedAt = now
        guard now < device.expiresAt else { throw ProviderRefusal("expired_token", "The device code ended.") }
        // The system's coarse clock moves in steps of some milliseconds.
        if let askedAt = device.askedAt, now - askedAt < device.interval - 0.02 {
            deviceCodes[text]?.interval += 5
            throw ProviderRefusal("slow_down", "Wait for \(device.interval + 5) seconds from now on.")
        }
        switch device.decision {
        case .pending: throw ProviderRefusal("authorization_pending", "Nobody has decided yet.")
        case .denied: throw ProviderRefusal("access_denied", "The person refused.")
        case .granted(let id):
            guard let grant = grants[id], !grant.isRevoked else {
                throw ProviderRefusal("invalid_grant", "The grant is revoked.")
            }
            deviceCodes[text] = nil
            let resources = try resources(parameters, of: grant)
            return issue(id, grant, scopes: grant.scopes, resources: resources, key: key, isFirst: true, now: now)
        }
    }

    /// Eight consonants: easy to type, hard to guess, and no words (RFC 8628, section 6.1).
    private static func newUserCode() -> String {
        let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
        var random = SystemRandomNumberGenerator()
        let code = (0..<8).compactMap { _ in letters.randomElement(using: &random) }
        return "\(String(code[..<4]))-\(String(code[4...]))"
    }

    /// What is compared of a user code: its letters, in capitals.
    private static func plain(_ userCode: String) -> String { userCode.uppercased().filter(\.isLetter) }
}
