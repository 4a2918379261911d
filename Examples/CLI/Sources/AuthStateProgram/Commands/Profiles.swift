import ArgumentParser
import AuthStateKit
import AuthStatePlatform

/// Lists the stored logins; the network is not used.
struct Profiles: Command {
    static let configuration = CommandConfiguration(
        commandName: "profiles", _superCommandName: "authstate",
        abstract: "List the logins of all profiles, without using the network.",
        discussion: "Logins in a file of your own, see --state, are not listed.")
    static let stage = AuthStateError.Stage.store

    @OptionGroup(title: "Common options")
    var common: CommonOptions

    func validate() throws {
        if common.state != nil || common.profile != "default" {
            throw ValidationError("profiles goes without --state and --profile.")
        }
    }

    func perform(_ context: Context) async throws -> Report {
        let file = try StateLocation(common).store(key: .default) { context.console.note("authstate: \($0)") }
        let (store, closed) = try await opened(file, context)
        var profiles: [(name: String, summary: StateSummary)] = []
        for entry in try await store.entries(savedBefore: .distantFuture) where !closed.contains(entry.key) {
            do {
                guard let stored = try await store.load(entry.key) else { continue }
                let record = try AuthStateArchive(data: stored.archive).record
                guard !record.isForgettable else { continue }
                let name = Settings(annotations: record.annotations).profile
                // The library keeps a login's registrations at other servers under keys of their own.
                if name == nil, record.isRegistrationOnly { continue }
                profiles.append((name ?? "?", StateSummary(record: record, now: Date())))
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

    /// Opens the sealed logins too.
    ///
    /// - Returns: The store, and the logins whose seal's key cannot be read, which was reported once for each seal.
    private func opened(
        _ file: FileAuthStateStore, _ context: Context
    ) async throws -> (store: any AuthStateStore, closed: Set<AuthStateKey>) {
        var sealed: [Seal: Set<AuthStateKey>] = [:]
        for entry in try await file.entries(savedBefore: .distantFuture) {
            if let seal = await SealedPlace.seal(of: file, entry.key) { sealed[seal, default: []].insert(entry.key) }
        }
        var (keys, closed) = ([SealingKey](), Set<AuthStateKey>())
        for (seal, logins) in sealed {
            do { keys += try await context.keys.existing(of: seal) } catch let error as AuthStateError {
                context.console.note("authstate: \(error)")
                closed.formUnion(logins)
            }
        }
        return (keys.isEmpty ? file : try SealedAuthStateStore(file, keys: keys, opensUnsealed: true), closed)
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
