/// One thing that goes wrong: at the n-th call of its kind.
struct Fault: Hashable {
    /// The kind of the fault.
    var kind: Kind
    /// The number of the call, counted from 1 over all processes.
    var number: Int

    /// Makes a fault, for example `Fault(.saveHangs, at: 1)`.
    init(_ kind: Kind, at number: Int) { (self.kind, self.number) = (kind, number) }

    /// Calls that can go wrong.
    enum Site: String, Hashable {
        case load, lease, reserve, save, delete, send, keys, page, await

        /// The number of calls among which a seed chooses the one that goes wrong.
        var range: Int {
            switch self {
            case .await: 60
            case .page: 2
            default: 6
            }
        }
    }

    /// The kinds of faults; `site` says where each happens.
    enum Kind: String, Hashable, CaseIterable {
        case loadFails, loadHangs, loadIsOld, loadIsEmpty
        case leaseFails
        case reserveFails
        case saveFailsBefore, saveFailsAfter, saveHangs
        case deleteFailsBefore, deleteFailsAfter
        case unreachable, requestLost, answerLost, answerHangs, busy, serverError, doubled
        /// The provider's keys are unavailable, arrive late, or are replaced while they are fetched.
        case keysFail, keysHang, keysRotate
        /// The user closes the page of a login.
        case pageCloses
        /// The process that waits at an await dies there; its newest call is cancelled there.
        case dies, callCancelled

        /// The kind of call.
        var site: Site {
            switch self {
            case .loadFails, .loadHangs, .loadIsOld, .loadIsEmpty: .load
            case .leaseFails: .lease
            case .reserveFails: .reserve
            case .saveFailsBefore, .saveFailsAfter, .saveHangs: .save
            case .deleteFailsBefore, .deleteFailsAfter: .delete
            case .unreachable, .requestLost, .answerLost, .answerHangs, .busy, .serverError, .doubled: .send
            case .keysFail, .keysHang, .keysRotate: .keys
            case .pageCloses: .page
            case .dies, .callCancelled: .await
            }
        }
    }
}
