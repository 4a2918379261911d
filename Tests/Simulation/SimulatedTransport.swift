import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth

/// The network between a process and the provider: a request travels, is dealt with, and its answer travels back.
struct SimulatedTransport: HTTPTransport {
    let world: World
    let process: Int

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        try Task.checkCancellation()
        let (message, request) = (Message(request), damaged(request))
        let fault = world.fault(at: message == .keys ? .keys : .send, process)
        world.note(process, "sends \(message)\(fault.map { ", \($0.rawValue)" } ?? "")")
        if let grant = message.grant { world.oracle(ofGrant: grant)?.sends(process, message) }
        world.pages.sends(process, message, request)
        if let fault { world.faulted(process, fault) }
        repeatLate(message)
        switch fault {
        case .unreachable, .keysFail:
            throw TransportError(.unreachable, "Simulated: no route.", requestMayHaveBeenSent: false)
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
            if fault == .doubled { _ = world.answer(message, request, from: process) }
            answer = world.answer(message, request, from: process)
            if fault == .keysRotate { world.provider.rotateKeys() }
        }
        switch arrived {
        case .cancelled: throw CancellationError()
        case .timedOut: throw Self.timeout
        case .ready: break
        }
        let returned = await travel(isHanging: fault == .answerHangs || fault == .keysHang)
        if returned != .ready { world.journal.excuse(.lostAnswer) }
        switch returned {
        case .cancelled: throw CancellationError()
        case .timedOut: throw Self.timeout
        case .ready: break
        }
        if fault == .serverError { return TransportResponse(status: 500) }
        if fault == .answerLost {
            throw TransportError(.connectionLost, "Simulated: the answer was lost.", requestMayHaveBeenSent: true)
        }
        // It came in the moment at which the caller gave up.
        if Task.isCancelled { world.journal.excuse(.lostAnswer) }
        world.note(process, "gets the answer to \(message): \(answer.status)")
        switch message {
        case .resource(let token) where answer.status != 200:
            world.pages.refuses(process, token, isWrite: request.method == .post)
        case .renewal: world.pages.receives(process, answer)
        default: break
        }
        return answer
    }

    /// Sends a renewal again once its lease is lost, as a broken network does.
    private func repeatLate(_ message: Message) {
        guard world.plan.breakage == .networkRepeats, world.isHarsh, case .renewal(let token) = message else { return }
        world.shelves.values.forEach(world.loseLease)
        world.scheduler.advance(to: world.scheduler.now + 1)
        world.oracle(ofGrant: token.grant)?.sends(process, message)
    }

    /// The request as a broken network passes it on.
    private func damaged(_ request: TransportRequest) -> TransportRequest {
        guard world.isHarsh else { return request }
        var request = request
        switch world.plan.breakage {
        case .networkDropsProofs: request.headers["DPoP"] = nil
        case .networkConfusesServers where request.url.path == "/token":
            let other = World.origin(of: request.url) == World.issuer ? World.otherIssuer : World.issuer
            request.url = URL(string: "\(other)/token") ?? request.url
        default: break
        }
        return request
    }

    private func travel(isHanging: Bool = false, _ arrival: @escaping () -> Void = {}) async -> Scheduler.Wake {
        await world.scheduler.park(timeout: 30, isCancellable: true, onlyByTime: isHanging, action: arrival)
    }

    private static let timeout = TransportError(.timedOut, "Simulated: no answer.", requestMayHaveBeenSent: true)
}
