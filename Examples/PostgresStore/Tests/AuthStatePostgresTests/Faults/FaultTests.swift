import AuthStateKit
import AuthStatePostgres
import AuthStateTesting
import Foundation
import Testing

extension PostgresTests {
    /// Three server processes over one database, which do not know of each other, with tokens of one second.
    ///
    /// `AUTHSTATE_FAULT_ROUNDS` makes the first test longer: kills and restarts in each round, about 12 s.
    @Suite(.serialized)
    struct Faults {
        static let rounds = ProcessInfo.processInfo.environment["AUTHSTATE_FAULT_ROUNDS"].flatMap(Int.init) ?? 1

        @Test(
            "one is killed while it holds the lease, the database restarts in the middle: the login survives",
            .withServer, .timeLimit(.minutes(Faults.rounds + 2)))
        func fleet() async throws {
            let fleet = try await Fleet(.current)
            let begin = ContinuousClock.now
            var waits: [Duration] = []
            var restarts: [Duration] = []
            for _ in 0..<Self.rounds {
                try await fleet.renewals(3)
                // The provider has not processed it when its sender is killed.
                let victim = try await fleet.log.catchNext(.hang)
                try await fleet.kill(victim.worker)
                try fleet.start()
                waits.append(try await fleet.nextRenewal(after: victim))
                try await fleet.renewals(3)
                // The provider has rotated the refresh token; the answer comes after the restart of the database.
                let gate = ScriptedTransport.Gate()
                let held = try await fleet.log.catchNext(.held(gate))
                try await fleet.server.control("restart", "--mode", "immediate")
                gate.open()
                restarts.append(try await fleet.nextRenewal(after: held))
            }
            try await fleet.renewals(3)
            let seconds = (ContinuousClock.now - begin) / .seconds(1)
            let reports = try await fleet.stop()

            let stalls = (waits + restarts).reduce(.zero, +) / .seconds(1)
            let expiries = (seconds - stalls) / (Fleet.lifetime * 0.75) + Double(2 * Self.rounds)
            print(
                """
                three processes over PostgreSQL, \(Int(seconds)) s, tokens of \(Fleet.lifetime) s: \
                \(fleet.log.count) renewals, \(fleet.log.count - fleet.log.repetitions) refresh tokens, \
                \(fleet.log.repetitions) presented twice (by \(waits.count) killed holders), \
                \(fleet.provider.statistics.refreshTokenReuses) reuses; \
                \(ratio(Double(fleet.log.count) / expiries)) renewals an expiry; \
                \(reports.map(\.served)) tokens served, errors \(reports.map(\.errors)); \
                next renewal after a kill \(waits.map(shown)), after a restart \(restarts.map(shown))
                """)
            #expect(fleet.provider.statistics.refreshTokenReuses == 0)
            #expect(fleet.log.repetitions == waits.count, "only what the killed ones had asked for is asked again")
            #expect(Double(fleet.log.count) / expiries <= 1.1)
            #expect(reports.count == 3 && reports.allSatisfy { $0.served > 100 })
            #expect(reports.allSatisfy { $0.errors.isEmpty }, "\(reports.map(\.firstError))")
            #expect(try await fleet.isLoggedIn())
        }

        @Test("the standby takes over during a renewal: nothing is spent twice, the login survives", .withStandby)
        func failover() async throws {
            let fleet = try await Fleet(.current)
            try await fleet.renewals(3)
            let gate = ScriptedTransport.Gate()
            let held = try await fleet.log.catchNext(.held(gate))
            try await fleet.server.failOver()
            gate.open()
            let wait = try await fleet.nextRenewal(after: held)
            try await fleet.renewals(3)
            let reports = try await fleet.stop()
            print("next renewal after a failover \(shown(wait)), \(fleet.log.count) renewals")
            #expect(fleet.provider.statistics.refreshTokenReuses == 0 && fleet.log.repetitions == 0)
            #expect(reports.count == 3 && reports.allSatisfy { $0.errors.isEmpty }, "\(reports.map(\.firstError))")
            #expect(try await fleet.isLoggedIn())
        }

        @Test("with a libpq that cannot send several statements at once they are sent one by one", .withServer)
        func olderLibrary() async throws {
            let folder = try TemporaryFolder()
            try await OlderLibrary.make(in: folder)
            // Without an ID token, whose renewal would save twice, and be heard by the first save.
            let fleet = try await Fleet(.current, workers: 2, libraries: folder.path, scopes: [.profile])
            let listener = try PostgresServer.current.store()
            let run = Task { try await listener.run() }
            let watch = try await eventually("it listens") { await listener.watch(fleet.state.key) }
            let first = try await eventually("the number stands still") {
                let number = watch.generation
                return number < .max / 2 ? number : nil
            }
            try await fleet.renewals(3)
            try await eventually("the renewals are heard") { watch.generation != first ? true : nil }
            run.cancel()
            try await run.value
            let reports = try await fleet.stop()
            #expect(fleet.provider.statistics.refreshTokenReuses == 0 && fleet.log.repetitions == 0)
            #expect(reports.count == 2 && reports.allSatisfy { $0.errors.isEmpty }, "\(reports.map(\.firstError))")
            #expect(folder.text("opened") == "opened", "the workers had this library")
        }

        @Test(
            "killed between the provider's commit and the save: unnoticed if there is a grace period, else a logout",
            .withServer, arguments: zip([0.0, 60.0], [true, false]))
        func lostAnswer(grace: Double, isDelivered: Bool) async throws {
            let fleet = try await Fleet(.current, grace: grace, leaseSeconds: 2)
            try await fleet.renewals(2)
            let gate = ScriptedTransport.Gate()
            let victim = try await fleet.log.catchNext(.held(gate))
            fleet.freeze(victim.worker)
            // Delivered to the machine, but not to the process.
            if isDelivered { gate.open() }
            try await fleet.kill(victim.worker)
            let wait = try await fleet.nextRenewal(after: victim)
            if grace > 0 { try await fleet.renewals(2) }
            let reports = try await fleet.stop()
            print(
                """
                answer \(isDelivered ? "sent to" : "withheld from") a killed process, grace \(Int(grace)) s: \
                \(fleet.provider.statistics.refreshTokenReuses) reuses, next renewal after \(shown(wait)), \
                errors \(reports.map { $0.errors.keys.sorted() })
                """)
            if grace > 0 {
                #expect(reports.allSatisfy { $0.errors.isEmpty }, "\(reports.map(\.firstError))")
                #expect(try await fleet.isLoggedIn())
            } else {
                #expect(fleet.provider.statistics.refreshTokenReuses == 1, "only one of the others tries")
                #expect(Set(reports.flatMap { $0.errors.keys }) == ["invalidGrant"])
            }
        }

        @Test("without the lease the same processes spend refresh tokens twice: the test above can fail", .withServer)
        func unprotected() async throws {
            let fleet = try await Fleet(.current, isProtected: false)
            try await eventually("a refresh token is used twice", within: .seconds(30)) {
                fleet.provider.statistics.refreshTokenReuses > 0 ? true : nil
            }
            let reports = try await fleet.stop()
            #expect(fleet.log.repetitions > 0)
            #expect(reports.contains { $0.errors["invalidGrant"] != nil })
        }
    }
}

extension Fleet {
    /// Lets the workers run until there were so many more renewals.
    func renewals(_ count: Int) async throws {
        let goal = log.count + count
        try await eventually("\(count) renewals", within: .seconds(30)) { log.count >= goal ? true : nil }
    }

    /// How long it took until the next renewal after one.
    func nextRenewal(after renewal: RenewalLog.Renewal) async throws -> Duration {
        try await eventually("another renewal", within: .seconds(40)) { log.first(after: renewal.time) }
            .time - renewal.time
    }

    /// Whether the stored state still gets tokens that the provider accepts.
    func isLoggedIn() async throws -> Bool {
        try await state.performAction(TransportRequest(url: provider.url(of: .resource))).status == 200
    }
}

private func shown(_ duration: Duration) -> String { "\(ratio(duration / .seconds(1))) s" }

private func ratio(_ value: Double) -> String { String(format: "%.2f", value) }
