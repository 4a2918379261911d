import ArgumentParser
import AuthStateKit

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Lists the stored logins; the network is not used.
struct Profiles: Command {
    static let configuration = CommandConfiguration(
        abstract: "List the logins of all profiles, without using the network.",
        discussion: "Logins in a file of your own, see --state, are not listed.")
    static let stage = AuthStateError.Stage.store

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    func validate() throws {
        if !common.selection.isEmpty { throw ValidationError("profiles goes without --state and --profile.") }
    }

    func perform(_ context: Context) async throws -> Report {
        let location = try StateLocation(state: nil, profile: common.profile)
        let store = location.store(key: .default) { context.console.note("authstate: \($0)") }
        var profiles: [(name: String, summary: StateSummary)] = []
        for entry in try await store.entries(savedBefore: .distantFuture) {
            guard let stored = try await store.load(entry.key) else { continue }
            do {
                let record = try AuthStateArchive(data: stored.archive).record
                guard !record.isForgettable else { continue }
                let name = Settings(annotations: record.annotations).profile ?? "?"
                profiles.append((name, StateSummary(record: record, now: Date())))
            } catch let error as AuthStateError {
                context.console.note("authstate: \(error)")
            }
        }
        profiles.sort { $0.name < $1.name }
        return Report(
            json: .object(["profiles": .array(profiles.map { $0.summary.json(of: $0.name) })]),
            lines: profiles.map { $0.summary.line(of: $0.name) },
            note: profiles.isEmpty ? "No user is logged in. Log in with 'authstate login'." : nil)
    }
}

extension StateSummary {
    /// The summary as one of several.
    fileprivate func json(of profile: String) -> JSONValue {
        .object((json.objectValue ?? [:]).merging(["profile": .string(profile)]) { $1 })
    }

    /// The login in one line.
    fileprivate func line(of profile: String) -> String {
        let members = json.objectValue ?? [:]
        func text(_ name: String) -> String { members[name]?.stringValue ?? "-" }
        return [
            profile, text("issuer"), text("client_id"), text("subject"), isUsable ? "authorized" : "not authorized",
        ]
        .joined(separator: "  ")
    }
}
