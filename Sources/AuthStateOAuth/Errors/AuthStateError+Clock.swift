#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension AuthStateError {
    /// The same error, which says how far this machine's clock is off where that is its likely cause: proofs and assertions
    /// say when they were made, and are good for a minute or so.
    ///
    /// - Parameters:
    ///   - headers: Those of the answer; its `Date` is the server's clock, and without one nothing is said.
    ///   - now: This machine's clock.
    package func blamingClock(_ headers: TransportHeaders, now: Date) -> AuthStateError {
        guard let date = headers.first("Date").flatMap(HTTPDate.parse) else { return self }
        let seconds = now.timeIntervalSince(date).rounded()
        guard abs(seconds) > Self.usualDifference else { return self }
        var copy = self
        copy.hint =
            "Set this machine's clock: it is \(Int(abs(seconds))) s \(seconds < 0 ? "behind" : "ahead of") the server's."
        return copy
    }

    /// How far clocks may be apart without harm, and what an answer may take on its way, in seconds.
    private static let usualDifference: Double = 30
}
