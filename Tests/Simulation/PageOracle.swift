import AuthStateFoundation
import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth

/// Sees the pages that the accesses of processes open, and what they send where.
final class PageOracle: @unchecked Sendable {
    // Sendable: everything runs on one thread.

    /// The end of a page.
    enum End { case answered, closed, cancelled }

    /// A page that a user sees.
    final class Page {
        let process: Int
        private(set) var end: End?
        private(set) var ended = 0

        init(_ process: Int) { self.process = process }

        func end(_ end: End, at step: Int) { (self.end, ended) = (end, step) }
    }

    private let scheduler: Scheduler
    private let provider: SimulatedProvider
    private let journal: Journal
    private var pages: [Page] = []
    /// The tokens that a process was refused, and whether each was refused for writing.
    private var refused: [Int: [TokenName: Bool]] = [:]
    /// The newest token that each process got by a renewal.
    private var held: [Int: TokenName] = [:]

    init(_ scheduler: Scheduler, _ provider: SimulatedProvider, _ journal: Journal) {
        (self.scheduler, self.provider, self.journal) = (scheduler, provider, journal)
    }

    /// A process was refused a token by the resource.
    func refuses(_ process: Int, _ token: TokenName, isWrite: Bool) {
        let wasForWriting = refused[process]?[token] ?? false
        refused[process, default: [:]][token] = isWrite || wasForWriting
    }

    /// A process has received the answer to a renewal.
    func receives(_ process: Int, _ answer: TransportResponse) {
        let json = try? JSONValue(parsing: [UInt8](answer.body))
        held[process] = TokenName(json?["access_token"]?.stringValue) ?? held[process]
    }

    /// A page opens.
    ///
    /// - Parameter shown: The state that the process has.
    /// - Returns: The page; nil for one that no access opens.
    func opens(_ process: Int, showing shown: AuthState?) -> Page? {
        guard let call = Deciding.access else { return nil }
        call.pages += 1
        if call.pages > 3 + provider.forgotten {
            journal.found(.pagesAreBounded, process, "page \(call.pages) of a call")
        }
        let own = pages.filter { $0.process == process }
        if own.contains(where: { $0.end == nil }) { journal.found(.onePage, process, "a second page opens") }
        if let last = own.last, last.end == .closed, last.ended > call.begun {
            journal.found(.failureIsShared, process, "a page opens, for a call that began before another was closed")
        }
        if !call.isAsked { checkNeed(process, shown) }
        let page = Page(process)
        pages.append(page)
        return page
    }

    private func checkNeed(_ process: Int, _ shown: AuthState?) {
        guard !journal.isExcused(by: [.clock, .oldCopy]) else { return }
        let refused = refused[process] ?? [:]
        let shown = TokenName(shown?.record.accessToken)
        for token in [shown, held[process]].compactMap(\.self) where provider.accepts(token.token, at: scheduler.now) {
            let isForWriting = refused.contains { $0.key.grant == token.grant && $0.value }
            let mayWrite = provider.grants[token.grant]?.ticket.scopes.contains("write") == true
            guard token.grant == shown?.grant, refused[token] == nil,
                refused.keys.contains(where: { $0.grant == token.grant }), mayWrite || !isForWriting
            else { continue }
            journal.found(.pageIsNeeded, process, "a page opens although \(token.token) was never refused")
        }
    }

    /// A process sends a request to one of the servers.
    func sends(_ process: Int, _ message: Message, _ request: TransportRequest) {
        let origin = World.origin(of: request.url)
        let form = request.body.flatMap { Parameters(decoding: String(decoding: $0, as: UTF8.self)) } ?? [:]
        let named = form["client_id"].flatMap { TokenName("secret-\($0.dropFirst("client-".count)).0") }?.grant
        let owner: String? =
            switch message {
            case .code(let number): provider.tickets.indices.contains(number) ? provider.tickets[number].issuer : nil
            case .renewal(let token), .revocation(let token): provider.grants[token.grant]?.ticket.issuer
            case .management(let token, _): provider.clients[token.grant]?.issuer
            case .resource: World.origin(of: World.resource)
            default: nil
            }
        let client = (ClientProof(request)?.client ?? named).flatMap { provider.clients[$0]?.issuer }
        for owner in [owner, client].compactMap(\.self) where owner != origin {
            journal.found(.ownServer, process, "\(message) of \(owner) goes to \(origin)")
        }
    }

    /// A client registers.
    func registers(_ process: Int, at issuer: String, isResource: Bool) {
        let kinds: Set<Excuse> = [.lostAnswer, .failedSave, .failedLoad, .lostLease, .oldCopy, .death]
        guard isResource, !journal.isExcused(by: kinds),
            provider.clients.values.contains(where: { $0.isAlive && $0.issuer == issuer })
        else { return }
        journal.found(.registersOnce, process, "a second client registers at \(issuer)")
    }
}
