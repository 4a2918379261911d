#if os(macOS) || os(Linux)
    #if canImport(Darwin)
        internal import Darwin
    #elseif canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif
    #if canImport(FoundationEssentials)
        internal import FoundationEssentials
    #else
        internal import Foundation
    #endif
    internal import AuthStateOAuth

    /// What a child process writes to its standard error: a temporary file without a name.
    ///
    /// A pipe would end a browser that outlives this program with its next warning.
    final class ErrorOutput: Sendable {
        /// The file; nil when none could be made, and what is written is lost.
        let descriptor: Int32?

        init() {
            let folder = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
            var path = Array("\(folder)/authstate-XXXXXX".utf8CString)
            let file = mkstemp(&path)
            guard file >= 0 else {
                descriptor = nil
                return
            }
            unlink(path)
            _ = fcntl(file, F_SETFD, FD_CLOEXEC)
            descriptor = file
        }

        deinit { if let descriptor { close(descriptor) } }

        /// The last lines, for an error to show.
        var lastLines: Lines {
            guard let descriptor else { return Lines("") }
            let size = lseek(descriptor, 0, SEEK_END)
            var bytes = [UInt8](repeating: 0, count: Lines.limit)
            let count = pread(descriptor, &bytes, bytes.count, max(0, size - off_t(bytes.count)))
            return Lines(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
        }

        /// The end of a text, in one line.
        struct Lines: Sendable, Hashable {
            /// How many bytes are looked at.
            static let limit = 4096
            /// How many lines are kept.
            private static let count = 3

            /// The lines, or nil when all are empty.
            let text: String?

            /// Addresses lose all but scheme, host and port: codes, states and the one-time address stand behind them.
            init(_ output: String) {
                let lines = output.split(whereSeparator: \.isNewline).suffix(Self.count).map { line in
                    line.split(separator: " ").map(Self.origin).joined(separator: " ")
                }
                let text = lines.filter { !$0.isEmpty }.joined(separator: " / ")
                self.text = text.isEmpty ? nil : text
            }

            private static func origin(_ word: Substring) -> String {
                guard let scheme = word.firstRange(of: "://"),
                    let end = word[scheme.upperBound...].firstIndex(where: { "/?#".contains($0) })
                else { return String(word) }
                return word[..<end] + "/…"
            }
        }
    }
#endif
