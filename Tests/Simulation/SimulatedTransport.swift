import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The network between a process and the provider: a request travels, is dealt with, and its answer travels back.
struct SimulatedTransport: HTTPTransport {
    let world: World
    let process: Int

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        try Task.checkCancellation()
        let message = Message(request)
        let fault = world.fault(at: .send)
        world.note(process, "sends \(message)\(fault.map { ", \($0.rawValue)" } ?? "")")
        world.oracle.sends(process, message)
        if let fault { world.oracle.faulted(process, fault) }
        switch fault {
        case .unreachable: throw TransportError(.unreachable, "Simulated: no route.", requestMayHaveBeenSent: false)
        case .requestLost:
            _ = await travel()
            throw TransportError(.connectionLost, "Simulated: the request was lost.", requestMayHaveBeenSent: true)
        case .busy:
            _ = await travel()
            return TransportResponse(status: 503, headers: ["Retry-After": "2"])
        default: break
        }
        var answer = TransportResponse(status: 500)
        let arrived = await travel { [world, process] in
            if fault == .doubled { _ = world.answer(message, from: process) }
            answer = world.answer(message, from: process)
        }
        switch arrived {
        case .cancelled: throw CancellationError()
        case .timedOut: throw Self.timeout
        case .ready: break
        }
        let returned = await travel(isHanging: fault == .answerHangs)
        if returned != .ready { world.oracle.lostAnswer(process) }
        switch returned {
        case .cancelled: throw CancellationError()
        case .timedOut: throw Self.timeout
        case .ready: break
        }
        if fault == .serverError { return TransportResponse(status: 500) }
        if fault == .answerLost {
            throw TransportError(.connectionLost, "Simulated: the answer was lost.", requestMayHaveBeenSent: true)
        }
        world.note(process, "gets the answer to \(message): \(answer.status)")
        return answer
    }

    private func travel(isHanging: Bool = false, _ arrival: @escaping () -> Void = {}) async -> Scheduler.Wake {
        await world.scheduler.park(timeout: 30, isCancellable: true, onlyByTime: isHanging, action: arrival)
    }

    private static let timeout = TransportError(.timedOut, "Simulated: no answer.", requestMayHaveBeenSent: true)
}

/// What a request asks of the provider.
enum Message: Hashable, CustomStringConvertible {
    case code(String)
    case renewal(TokenName)
    case revocation(TokenName)
    case unknown

    init(_ request: TransportRequest) {
        let form = request.body.flatMap { Parameters(decoding: String(decoding: $0, as: UTF8.self)) } ?? [:]
        if request.url.path.hasSuffix("revoke"), let token = TokenName(form["token"]) {
            self = .revocation(token)
        } else if let code = form["code"] {
            self = .code(code)
        } else if let token = TokenName(form["refresh_token"]) {
            self = .renewal(token)
        } else {
            self = .unknown
        }
    }

    var description: String {
        switch self {
        case .code: "a code"
        case .renewal(let token): token.token
        case .revocation(let token): "the revocation of \(token.token)"
        case .unknown: "an unknown request"
        }
    }
}

extension World {
    /// What the provider does with a message, and its answer.
    func answer(_ message: Message, from process: Int) -> TransportResponse {
        switch message {
        case .code:
            let (access, refresh) = provider.login(at: scheduler.now)
            oracle.granted(access.grant, to: process)
            return tokens(access, refresh, to: message)
        case .renewal(let token):
            let wasSpent = provider.isSpent(token)
            let renewal = provider.renew(token, at: scheduler.now)
            oracle.arrived(token, from: process, wasSpent: wasSpent)
            switch renewal {
            case .tokens(let access, let refresh): return tokens(access, refresh, to: message)
            case .refused(let reason):
                note(0, "the provider refuses \(token.token): \(reason)")
                return json(#"{"error":"invalid_grant"}"#, status: 400)
            }
        case .revocation(let token):
            note(0, "the provider ends grant \(token.grant)")
            provider.end(token.grant, "revoked by process \(process)")
            return TransportResponse(status: 200)
        case .unknown: return TransportResponse(status: 404)
        }
    }

    private func tokens(_ access: TokenName, _ refresh: TokenName?, to message: Message) -> TransportResponse {
        note(0, "the provider answers \(message): \(access.token)\(refresh.map { ", \($0.token)" } ?? "")")
        let rest = refresh.map { #","refresh_token":"\#($0.token)""# } ?? ""
        return json(
            """
            {"access_token":"\(access.token)","token_type":"Bearer","expires_in":\(provider.rules.lifetime)\(rest)}
            """, status: 200)
    }

    private func json(_ text: String, status: Int) -> TransportResponse {
        TransportResponse(status: status, headers: ["Content-Type": "application/json"], body: Data(text.utf8))
    }
}
