import AuthStateFoundation
import AuthStateJOSE

/// One rule for the claims of an ID token: a pure function from the token and the expectation to the failure.
struct IDTokenCheck: Sendable {
    /// The trust check that it implements.
    let trust: TrustCheck
    /// The claim, as errors name it.
    let name: String
    /// Where the rule is written; sections of OpenID Connect Core 1.0 unless another document is named.
    let section: String
    /// Returns the failure; nil when the token fits.
    let failure: @Sendable (IDToken, IDTokenExpectation) -> Failure?

    init(
        _ trust: TrustCheck, _ name: String, _ section: String,
        failure: @escaping @Sendable (IDToken, IDTokenExpectation) -> Failure?
    ) {
        self.trust = trust
        self.name = name
        self.section = section
        self.failure = failure
    }

    /// The rules in the order in which they are checked.
    static let all = code + hashes + hybrid + renewal + tenancy

    /// The expected and the received value of a claim.
    struct Failure {
        var expected: String
        var received: String
        var hint: String?

        init(_ expected: String, received: String?, hint: String? = nil) {
            self.expected = expected
            self.received = received ?? "nothing"
            self.hint = hint
        }

        /// A time that does not fit; both are shown in seconds since 1970.
        static func clock(_ expected: String, _ time: Date?, _ expectation: IDTokenExpectation) -> Failure {
            Failure(
                "\(expected) (now: \(Int(expectation.now.timeIntervalSince1970)))",
                received: time.map { "\(Int($0.timeIntervalSince1970))" },
                hint: "Check this machine's clock; both times are in seconds since 1970.")
        }
    }
}
