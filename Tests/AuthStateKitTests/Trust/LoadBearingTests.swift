import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import Testing

// Only debug builds can turn a check off.
#if DEBUG
    /// A check that can be removed without anything being believed that should not be is no check.
    struct LoadBearingTests {
        @Test("every check has an attack that it stops, and every attack a check that is declared")
        func everyCheckHasAnAttack() {
            let declared = Set(Self.checks)
            #expect(declared.count >= 100 && declared.count == Self.checks.count)
            #expect(declared.symmetricDifference(Attack.all.map(\.check)).isEmpty)
        }

        @Test("with every check made, an attack ends in an error of the library", arguments: Attack.all)
        func everyAttackIsRefused(_ attack: Attack) async {
            do {
                try await attack.offer()
                Issue.record("believed")
            } catch {
                #expect(error is AuthStateError || error is JOSEError, "\(error)")
            }
        }

        @Test("with one check turned off exactly its attacks are believed", arguments: checks)
        func exactlyItsAttacksSucceed(_ check: TrustCheck) async {
            let attacks = await Self.attacks[check] ?? []
            #expect(attacks.contains { $0.check == check }, "no attack reaches it")
            await TrustCheck.$turnedOff.withValue(check) {
                for attack in attacks {
                    await Task.yield()
                    do {
                        try await attack.offer()
                        #expect(attack.check == check, "an attack on \(attack.check) was believed")
                    } catch {
                        #expect(attack.check != check, "still refused: \(error)")
                    }
                }
            }
        }

        /// All checks, read from their declarations: a list of our own could forget one.
        private static let checks: [TrustCheck] = {
            let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
            let sources = root.appendingPathComponent("Sources").path
            let declaration = /static let (\w+) = TrustCheck\("(\w+)"\)/
            let files = (try? FileManager.default.subpathsOfDirectory(atPath: sources)) ?? []
            return files.filter { $0.hasSuffix(".swift") }.sorted().flatMap { file -> [TrustCheck] in
                let content = FileManager.default.contents(atPath: "\(sources)/\(file)") ?? Data()
                return String(decoding: content, as: UTF8.self).matches(of: declaration).map { found in
                    #expect(found.1 == found.2)
                    return TrustCheck(String(found.1))
                }
            }
        }()

        /// The attacks that reach each check. The others take the same way whether it is made or not.
        private static var attacks: [TrustCheck: [Attack]] { get async { await reached.value } }

        private static let reached = Task {
            var attacks: [TrustCheck: [Attack]] = [:]
            for attack in Attack.all {
                let checks = Lock<Set<TrustCheck>>([])
                await TrustCheck.$recorder.withValue({ check in checks.withLock { _ = $0.insert(check) } }) {
                    _ = try? await attack.offer()
                }
                for check in checks.withLock({ $0 }) { attacks[check, default: []].append(attack) }
            }
            return attacks
        }
    }
#endif
