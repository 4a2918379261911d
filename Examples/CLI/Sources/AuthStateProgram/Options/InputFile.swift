import ArgumentParser
import AuthStateKit
import AuthStatePlatform

/// Content of a file, in place of an argument that other users of the machine could read.
enum InputFile {
    /// The bytes of a file, or of standard input for `-`.
    ///
    /// - Throws: `AuthStateError` with `.invalidArgument` when it cannot be read; `CancellationError`.
    static func read(_ path: String) throws -> Data {
        do {
            return try path == "-" ? standardInput() : Data(contentsOf: URL(filePath: FileName.expanded(path)))
        } catch is CancellationError {
            throw CancellationError()
        } catch let error as ValidationError {
            throw AuthStateError(.invalidArgument, stage: .usage, error.message)
        } catch {
            throw AuthStateError(
                .invalidArgument, stage: .usage, "The file after @ cannot be read.", received: path,
                hint: "Check its name and permissions, or use @- for standard input.")
        }
    }

    private static func standardInput() throws -> Data {
        var data = Data()
        while true {
            let bytes = try nextBytes()
            guard !bytes.isEmpty else { return data }
            data += bytes
        }
    }

    /// Waits for the next bytes of standard input, and looks meanwhile whether the command's time is over, or the user interrupts it.
    /// Returns a line of a terminal, and no bytes at the end.
    ///
    /// - Throws: `CancellationError`, `POSIXError`.
    static func nextBytes() throws -> ArraySlice<UInt8> {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            try Task.checkCancellation()
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            guard poll(&input, 1, 100) > 0 else { continue }
            let count = AuthStatePlatform.read(STDIN_FILENO, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            return bytes[..<count]
        }
    }
}

/// The argument of `-H`: a header line, or the name of a file with such lines.
enum HeaderArgument: ExpressibleByArgument, Hashable, Sendable {
    case line(HeaderLine)
    case input(String)

    init?(argument: String) {
        if argument.hasPrefix("@"), argument.count > 1 {
            self = .input(String(argument.dropFirst()))
        } else if let line = HeaderLine(argument: argument) {
            self = .line(line)
        } else {
            return nil
        }
    }

    /// The header lines; empty ones in a file are left out.
    ///
    /// - Throws: `AuthStateError` with `.invalidArgument`, which names the number of a wrong line and never its
    ///   content.
    var lines: [HeaderLine] {
        get throws {
            guard case .input(let path) = self else {
                if case .line(let line) = self { return [line] }
                return []
            }
            let text = String(decoding: try InputFile.read(path), as: UTF8.self)
            return try text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
                .filter { !$1.isEmpty }
                .map { number, text in
                    guard let line = HeaderLine(argument: String(text)), !line.isAuthorization else {
                        throw AuthStateError(
                            .invalidArgument, stage: .usage, "Line \(number + 1) of the header file cannot be sent.",
                            expected: "a name, a colon and a value; not Authorization, which this command sets",
                            received: path == "-" ? "standard input" : path)
                    }
                    return line
                }
        }
    }
}

extension HeaderLine {
    /// Whether it is the header that carries the token.
    var isAuthorization: Bool { name.lowercased() == "authorization" }
}
