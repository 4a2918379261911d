import AuthStateFoundation
import AuthStateProviders

@testable import AuthStateOAuth

/// Answers that begin a login which is confirmed elsewhere, by device code or over the back channel: a line with the status
/// and, after a space, the media type; then the body.
func fuzzDevice(_ bytes: [UInt8]) {
    let (line, body) = bytes.firstLineAndRest
    let words = line.text.split(separator: " ", maxSplits: 1)
    var response = TransportResponse(status: words.first.flatMap { Int($0) } ?? 200, body: Data(body))
    if words.count > 1 { response.headers["Content-Type"] = String(words[1]) }
    for request in DeviceWorld.requests { check(response, to: request) }
    check(response, to: DeviceWorld.backchannel)
}

private func check(_ answer: TransportResponse, to request: BackchannelAuthenticationRequest) {
    let now = DeviceWorld.now
    let read = accepted { try BackchannelAuthenticationResponse(answer, to: request, sentAt: now) }
    guard let response = read else { return }
    require((200...203).contains(answer.status), "an identifier comes with success")
    require(TokenResponse.token(response.authenticationRequestID) != nil, "an identifier that can be sent")
    require((.seconds(1) ... .seconds(86400)).contains(response.interval), "an interval from a second to a day")
    let lifetime = response.expiresAt.timeIntervalSince(now)
    require(lifetime > 0 && lifetime <= 315_360_000, "a lifetime of at most ten years")
    var other = response
    other.authenticationRequestID = "another"
    require("\(other)" == "\(response)", "what is said does not depend on a secret")
    checkPolling(response.polling)
}

private func check(_ answer: TransportResponse, to request: DeviceAuthorizationRequest) {
    let now = DeviceWorld.now
    guard let response = accepted({ try DeviceAuthorizationResponse(answer, to: request, sentAt: now) }) else { return }
    require((200...203).contains(answer.status), "codes come with success")
    require(TokenResponse.token(response.deviceCode) != nil, "a device code that can be sent")
    require(response.userCode.printable(100) == response.userCode, "a user code that a terminal shows as it is")
    require((.seconds(1) ... .seconds(86400)).contains(response.interval), "an interval from a second to a day")
    let lifetime = response.expiresAt.timeIntervalSince(now)
    require(lifetime > 0 && lifetime <= 315_360_000, "a lifetime of at most ten years")
    for page in [response.verificationURI, response.verificationURIComplete].compactMap(\.self) {
        let parts = URIReference(page.absoluteString)
        require(parts.hasScheme("https") || parts.hasScheme("http"), "no other program is started")
        require(parts.user == nil && page.user() == nil, "no user hides the host")
        requireSameHost(page, parts)
    }
    let coded = try? JSONDecoder().decode(DeviceAuthorizationResponse.self, from: JSONEncoder().encode(response))
    require(coded == response, "stored and loaded as it was")
    var other = response
    (other.deviceCode, other.userCode) = ("another-device-code", "ANOTHER")
    require("\(other)" == "\(response)", "what is said does not depend on a secret")
    checkPolling(response.polling)
}

/// However the answers come, pauses neither vanish nor grow without end, and the codes' end is kept.
private func checkPolling(_ start: TokenPolling) {
    var polling = start
    for code in [AuthStateError.Code.slowDown, .timedOut, .timedOut, .authorizationPending] {
        _ = accepted { try polling.note(AuthStateError(code, stage: .token, "")) }
        let (interval, pause) = (polling.interval, polling.pause)
        require(interval >= start.interval && interval <= start.interval + .seconds(5), "an interval that stays")
        require(pause >= interval && pause <= max(interval, .seconds(60)), "a pause with an end")
    }
    require(accepted { try polling.wait(at: start.expiresAt) } == nil, "no question after the end")
}

private enum DeviceWorld {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)

    static let requests: [DeviceAuthorizationRequest] = {
        guard let url = URL(string: "https://op.example/token") else { fatalError("the endpoint") }
        var configuration = ProviderConfiguration(authorizationEndpoint: nil, tokenEndpoint: url)
        let plain = DeviceAuthorizationRequest(Client(configuration, id: "client"))
        configuration.tolerances = KnownProvider.gitHub.tolerances.union(KnownProvider.facebook.tolerances)
        return [plain, DeviceAuthorizationRequest(Client(configuration, id: "client"))]
    }()

    static let backchannel = BackchannelAuthenticationRequest(requests[0].client, hint: .login("ada"))
}
