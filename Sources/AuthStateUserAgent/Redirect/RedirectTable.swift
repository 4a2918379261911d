import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import AuthStateSystem

/// The flows that wait, and the decision which URL belongs to which of them: a pure value.
struct RedirectTable: Sendable {
    /// A flow that this process waits for.
    struct Waiting: Sendable {
        let state: String
        let place: CallbackPlace
        var purpose = UserAgentPurpose.login
        let answer: SharedResult<AuthorizationCallback>
    }

    enum Verdict: Sendable {
        /// The answer of a waiting flow, which then waits no longer.
        case answer(Waiting, AuthorizationCallback)
        /// The answer of a flow of an earlier process, to be claimed in the store.
        case restored(PendingRedirect, AuthorizationCallback)
        /// A URL at a place of this table whose flow may be in the store.
        case unknown
        /// A URL at a place of this table that belongs to no flow.
        case refused
        /// A URL at no place of this table.
        case foreign
    }

    /// The addresses that flows of an earlier process may come back to.
    let redirectURIs: [RedirectURI]
    /// Whether the flows of earlier processes are in `restored`.
    var isComplete: Bool
    private var waiting: [Waiting] = []
    /// The states of this process's flows, ended ones too, until the store was read: it may show them once more.
    private var own: Set<String> = []
    private(set) var restored: [PendingRedirect] = []

    init(redirectURIs: [RedirectURI], isComplete: Bool) {
        (self.redirectURIs, self.isComplete) = (redirectURIs, isComplete)
    }

    mutating func add(_ flow: Waiting) {
        waiting.append(flow)
        if isComplete { restored.removeAll { $0.state == flow.state } } else { own.insert(flow.state) }
    }

    mutating func remove(_ flow: Waiting) { waiting.removeAll { $0.answer === flow.answer } }

    /// Takes the store's flows, except those of this process, which are in it too, even one that was just answered.
    mutating func complete(with stored: [PendingRedirect]) {
        restored = stored.filter { !own.contains($0.state) }
        (isComplete, own) = (true, [])
    }

    /// Takes a flow back that could not be claimed in the store.
    mutating func giveBack(_ redirect: PendingRedirect) { restored.append(redirect) }

    /// Judges a URL by its place and its `state`, in constant time; the flow that it belongs to is used up.
    mutating func take(_ address: String) -> Verdict {
        let isOurs =
            redirectURIs.contains { $0.matches(address) }
            || waiting.contains { $0.place.callback(address) != nil }
            || restored.contains { $0.place.callback(address) != nil }
        guard isOurs else { return .foreign }
        let arrived = AuthorizationCallback(url: address)
        guard let state = arrived.state else { return takeWithoutState(arrived) }
        if let index = waiting.firstIndex(where: { ConstantTime.equals($0.state, state) }),
            let callback = waiting[index].place.callback(address)
        {
            return .answer(waiting.remove(at: index), callback)
        }
        if let index = restored.firstIndex(where: { ConstantTime.equals($0.state, state) }),
            let callback = restored[index].place.callback(address)
        {
            return .restored(restored.remove(at: index), callback)
        }
        return isComplete ? .refused : .unknown
    }

    /// Judges a URL without `state`: a logout's answer may lack it, which the caller reports, who checks it again. No login's may.
    private mutating func takeWithoutState(_ arrived: AuthorizationCallback) -> Verdict {
        guard arrived.states.isEmpty, !AuthorizationCallback.hasAnswer(URIReference(arrived.url).query ?? ""),
            let index = waiting.firstIndex(where: { $0.purpose == .logout && $0.place.callback(arrived.url) != nil }),
            let callback = waiting[index].place.callback(arrived.url)
        else { return .refused }
        return .answer(waiting.remove(at: index), callback)
    }
}
