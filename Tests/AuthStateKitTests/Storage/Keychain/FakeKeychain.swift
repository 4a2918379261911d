import AuthStateJOSE
import Foundation

@testable import AuthStateKit
@testable import AuthStateStorage

/// A device with its keychain, as Apple documents it: what processes share, and what can be done to it.
final class FakeDevice: Sendable {
    enum Call: CaseIterable { case add, update, copyMatching, delete }
    enum Lock: CaseIterable { case unlocked, locked, beforeFirstUnlock }

    private struct Failure {
        var status: KeychainStatus
        var isAfterEffect: Bool
    }

    fileprivate struct State {
        var items: [KeychainAttributes] = []
        var lock = Lock.unlocked
        var calls: [Call] = []
        /// The calls that broke the rules of the API.
        var misuse: [String] = []
    }

    private let state = AuthStateJOSE.Lock(State())
    private let failures = AuthStateJOSE.Lock<[Call: [Failure]]>([:])
    private let interruptions = AuthStateJOSE.Lock<[Call: @Sendable () -> Void]>([:])

    /// Everything that is stored, of all processes.
    var items: [KeychainAttributes] { state.withLock { $0.items } }
    /// The calls since the device was made.
    var calls: [Call] { state.withLock { $0.calls } }
    /// The calls that no caller may make.
    var misuse: [String] { state.withLock { $0.misuse } }

    func set(_ lock: Lock) { state.withLock { $0.lock = lock } }
    func put(_ item: KeychainAttributes) { state.withLock { $0.items.append(item) } }
    /// Changes the stored items, as a program that ignores the rules would.
    func tamper(_ change: @Sendable (inout [KeychainAttributes]) -> Void) { state.withLock { change(&$0.items) } }

    /// Makes the next call of this kind fail; after its effect, as when the answer is lost.
    func fail(_ call: Call, _ status: KeychainStatus, afterEffect: Bool = false, times: Int = 1) {
        let failure = Failure(status: status, isAfterEffect: afterEffect)
        failures.withLock { $0[call, default: []] += Array(repeating: failure, count: times) }
    }

    /// Runs this before the next call of this kind: what another process does just then, or a wait.
    func interrupt(_ call: Call, _ body: @escaping @Sendable () -> Void) { interruptions.withLock { $0[call] = body } }

    fileprivate func perform(
        _ call: Call, _ body: (inout State) -> KeychainStatus
    ) -> KeychainStatus {
        interruptions.withLock { $0.removeValue(forKey: call) }?()
        let failure = failures.withLock { failures -> Failure? in
            guard failures[call]?.isEmpty == false else { return nil }
            return failures[call]?.removeFirst()
        }
        return state.withLock { state in
            state.calls.append(call)
            if let failure, !failure.isAfterEffect { return failure.status }
            let status = body(&state)
            return failure?.status ?? status
        }
    }
}

/// The keychain as one process sees it: the entitlement says which access groups, the first is its own.
struct FakeKeychain: KeychainItems {
    let device: FakeDevice
    var groups = ["TEAM.app", "TEAM.shared"]

    func add(_ item: KeychainAttributes) -> KeychainStatus {
        device.perform(.add) { state in
            var item = item
            if item.service == nil || item.data == nil || item.accessible == nil { state.misuse.append("add \(item)") }
            item.accessGroup = item.accessGroup ?? groups[0]
            item.account = item.account ?? ""
            guard groups.contains(item.accessGroup ?? "") else { return .missingEntitlement }
            // Whether there is one the index knows, locked or not; writing needs the class key.
            guard !state.items.contains(where: { $0.isNamed(as: item) }) else { return .duplicateItem }
            guard state.canUse(item) else { return .interactionNotAllowed }
            state.items.append(item)
            return .success
        }
    }

    func update(_ query: KeychainAttributes, to changes: KeychainAttributes) -> KeychainStatus {
        device.perform(.update) { state in
            guard let found = matches(query, &state) else { return .missingEntitlement }
            if found.isEmpty { return .itemNotFound }
            guard found.allSatisfy({ state.canUse(state.items[$0]) }) else { return .interactionNotAllowed }
            for index in found { state.items[index].take(changes) }
            return .success
        }
    }

    func copyMatching(_ query: KeychainAttributes) -> (status: KeychainStatus, item: KeychainAttributes?) {
        var item: KeychainAttributes?
        let status = device.perform(.copyMatching) { state in
            guard let found = matches(query, &state) else { return .missingEntitlement }
            guard let index = found.first else { return .itemNotFound }
            guard state.canUse(state.items[index]) else { return .interactionNotAllowed }
            item = state.items[index]
            return .success
        }
        return (status, status == .success ? item : nil)
    }

    /// Removing needs no key: the service finds the rows by digests of their attributes.
    func delete(_ query: KeychainAttributes) -> KeychainStatus {
        device.perform(.delete) { state in
            guard let found = matches(query, &state) else { return .missingEntitlement }
            if found.isEmpty { return .itemNotFound }
            for index in found.reversed() { state.items.remove(at: index) }
            return .success
        }
    }

    /// The places of the items that match all of the query; nil when it names a group that the process does not have.
    private func matches(_ query: KeychainAttributes, _ state: inout FakeDevice.State) -> [Int]? {
        if query.data != nil || query.accessible != nil || query.service == nil {
            state.misuse.append("query \(query)")
        }
        if let group = query.accessGroup, !groups.contains(group) { return nil }
        return state.items.indices.filter { index in
            let item = state.items[index]
            return groups.contains(item.accessGroup ?? "")
                && [
                    (query.service, item.service), (query.account, item.account),
                    (query.accessGroup, item.accessGroup), (query.comment, item.comment),
                ].allSatisfy { wanted, found in
                    // By bytes, as the service's digests are.
                    wanted.map { Array($0.utf8) == found.map { Array($0.utf8) } } ?? true
                } && (query.generic == nil || query.generic == item.generic)
        }
    }
}

extension FakeDevice.State {
    /// Whether the class key of an item is at hand.
    fileprivate func canUse(_ item: KeychainAttributes) -> Bool {
        switch item.accessible?.level {
        case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: lock != .beforeFirstUnlock
        default: lock == .unlocked
        }
    }
}

extension KeychainAttributes {
    /// Whether both have the same service, account and access group, byte for byte: no two items do.
    fileprivate func isNamed(as other: Self) -> Bool {
        [(service, other.service), (account, other.account), (accessGroup, other.accessGroup)]
            .allSatisfy { mine, theirs in Array((mine ?? "").utf8) == Array((theirs ?? "").utf8) }
    }

    fileprivate mutating func take(_ changes: Self) {
        service = changes.service ?? service
        account = changes.account ?? account
        accessGroup = changes.accessGroup ?? accessGroup
        generic = changes.generic ?? generic
        comment = changes.comment ?? comment
        accessible = changes.accessible ?? accessible
        data = changes.data ?? data
    }
}

extension FakeDevice {
    /// The store of one process; each call is another process.
    func store(
        service: String = "com.example.app", accessGroup: String? = nil,
        accessibility: KeychainAuthStateStore.Accessibility = .afterFirstUnlockThisDeviceOnly,
        groups: [String] = ["TEAM.app", "TEAM.shared"], clock: any Clock<Duration> = ContinuousClock()
    ) -> KeychainAuthStateStore {
        KeychainAuthStateStore(
            FakeKeychain(device: self, groups: groups), service: service, accessGroup: accessGroup,
            accessibility: accessibility, clock: clock, queue: WaitingLine<String>())
    }
}
