/// Shows that the program waits for a user, until the wait is over.
enum Spinner {
    private static let frames = Array("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")

    /// Runs a body beside a turning wheel; on anything but a terminal there is no wheel.
    static func spin<R>(
        _ text: String?, on console: Console, during body: nonisolated(nonsending) () async throws -> R
    ) async rethrows -> R {
        guard let text, console.isInteractive else { return try await body() }
        let wheel = Task {
            for turn in 0... {
                console.setStatusLine("\(frames[turn % frames.count]) \(text)")
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        defer {
            wheel.cancel()
            console.setStatusLine("")
        }
        return try await body()
    }
}
