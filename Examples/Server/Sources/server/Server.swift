import Foundation
import Hummingbird
import Logging
import NIOCore
import WebServer

/// The server as a program: its settings come from the environment, its messages for the operator go to standard error.
@main
enum Server {
    static func main() async {
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        do {
            try await run(ProcessInfo.processInfo.environment)
        } catch {
            FileHandle.standardError.write(Data("server: \(error)\n".utf8))
            exit(error is SettingsError ? 78 : 69)
        }
    }

    private static func run(_ environment: [String: String]) async throws {
        var logger = Logger(label: "server")
        logger.logLevel = try level(environment)
        let settings = try Settings(environment: environment)
        let application = try await makeApplication(settings, logger: logger)
        do {
            // SIGTERM and SIGINT end it in order: no request, no renewal is cut off.
            try await application.runService()
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw SettingsError(variable: "PORT", problem: "\(settings.port) is in use; choose another one")
        } catch let error as IOError where error.errnoCode == EADDRNOTAVAIL || error.errnoCode == EACCES {
            throw SettingsError(
                variable: "HOST, PORT",
                problem: "\(settings.host) port \(settings.port): \(String(cString: strerror(error.errnoCode)))")
        } catch is SocketAddressError.UnknownHost {
            throw SettingsError(variable: "HOST", problem: "\(settings.host) has no address")
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
