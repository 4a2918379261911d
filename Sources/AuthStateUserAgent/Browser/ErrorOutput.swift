#if os(macOS) || os(Linux)
    import AuthStateFoundation
    import AuthStateLibc
    import AuthStateOAuth

    /// The standard error of a child process: memory, or elsewhere than on Linux a temporary file without a name.
    ///
    /// A pipe would end a browser that outlives this program with its next warning. The memory has a fixed size,
    /// because such a browser writes for days: text that does not fit is refused, which a program's warnings survive.
    final class ErrorOutput: Sendable {
        /// The file; nil when none could be made, and the output is lost.
        let descriptor: Int32?

        init() {
            #if os(Linux)
                descriptor = Self.memory()
            #else
                descriptor = Self.temporaryFile()
            #endif
        }

        #if os(Linux)
            /// Returns memory whose size is sealed. glibc and musl declare the call and its constants for GNU sources
            /// alone.
            private static func memory() -> Int32? {
                typealias Create = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
                let (cloexec, allowSealing): (UInt32, UInt32) = (0x1, 0x2)
                let (addSeals, sealShrink, sealGrow): (Int32, Int32, Int32) = (1033, 0x2, 0x4)
                guard let symbol = dlsym(nil, "memfd_create") else { return nil }
                let file = unsafeBitCast(symbol, to: Create.self)("authstate-errors", cloexec | allowSealing)
                guard file >= 0 else { return nil }
                guard ftruncate(file, off_t(Lines.limit)) == 0, fcntl(file, addSeals, sealShrink | sealGrow) == 0 else {
                    close(file)
                    return nil
                }
                return file
            }
        #endif

        private static func temporaryFile() -> Int32? {
            let folder = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
            var path = Array("\(folder)/authstate-XXXXXX".utf8CString)
            let file = mkstemp(&path)
            guard file >= 0 else { return nil }
            unlink(path)
            _ = fcntl(file, F_SETFD, FD_CLOEXEC)
            return file
        }

        deinit { if let descriptor { close(descriptor) } }

        /// The last lines, for an error to show.
        var lastLines: Lines {
            guard let descriptor else { return Lines("") }
            var bytes = [UInt8](repeating: 0, count: Lines.limit)
            let size = lseek(descriptor, 0, SEEK_END)
            let count = pread(descriptor, &bytes, bytes.count, max(0, size - off_t(bytes.count)))
            return Lines(String(decoding: bytes.prefix(max(0, count)).prefix { $0 != 0 }, as: UTF8.self))
        }

        /// The end of a text, in one line.
        struct Lines: Sendable, Hashable {
            /// The number of bytes that are read.
            static let limit = 4096
            /// The number of lines that are kept.
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
