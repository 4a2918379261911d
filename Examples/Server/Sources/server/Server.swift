import AuthStateServer
import Foundation
import Hummingbird
import Logging

/// The server as a program: everything comes from the environment, every word for the operator goes to standard error.
@main
enum Server {
    static func main() async {
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        let environment = ProcessInfo.processInfo.environment
        do {
            var logger = Logger(label: "server")
            logger.logLevel = try level(environment)
            let application = try await makeApplication(Settings(environment: environment), logger: logger)
            // SIGTERM and SIGINT end it in order: no request, no renewal is cut off.
            try await application.runService()
        } catch {
            FileHandle.standardError.write(Data("server: \(error)\n".utf8))
            exit(error is SettingsError ? 78 : 69)
        }
    }

    private static func level(_ environment: [String: String]) throws -> Logger.Level {
        guard let word = environment["LOG_LEVEL"] else { return .info }
        guard let level = Logger.Level(rawValue: word.lowercased()) else {
            let words = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw SettingsError(variable: "LOG_LEVEL", problem: "\(word) is none of \(words)")
        }
        return level
    }
}
