#if os(Linux)
    import AuthStateFoundation
    import AuthStateLibc
    import CAuthStateCurl

    /// The certificate authorities that a transport trusts: the system's, and a file's. Lives on the loop's thread.
    ///
    /// libcurl parses all of the system's authorities for each new connection, which takes longer than the handshake.
    /// Many systems keep them in a folder too, each under the hash of its name, where OpenSSL opens the one that a
    /// certificate leads to. The folder is asked first. What it lacks, such as an authority that was appended to the
    /// system's bundle, is looked for among all.
    struct CurlAuthorities {
        enum Search {
            /// In the system's folder alone.
            case folder
            /// Wherever this libcurl looks by itself: in the system's bundle and folder.
            case system
        }

        var first: Search
        /// The text of the file; nil when none was named.
        private let own: Data?
        private var kept: Data?
        /// The system's bundle with the text of the file: naming a file to libcurl replaces the system's. A bundle that is not found, as
        /// when no descriptor is left, is looked for again.
        var all: Data? {
            mutating get {
                guard kept == nil, let own else { return kept }
                let bundle = Self.systemBundle()
                let all: Data = bundle + [0x0A] + own
                if !bundle.isEmpty || !Self.places.contains(where: { access($0, F_OK) == 0 }) { kept = all }
                return all
            }
        }

        init(own: Data?) {
            self.own = own
            first = Self.path(AuthStateCurl_CURLINFO_CAPATH).map(Self.isHashed) == true ? .folder : .system
        }

        /// Tells libcurl where to look; returns the first code that is not CURLE_OK.
        mutating func apply(_ search: Search, to easy: UnsafeMutableRawPointer) -> Int {
            if search == .folder, own == nil { return AuthStateCurlSetPointer(easy, AuthStateCurl_CURLOPT_CAINFO, nil) }
            // A blob takes the bundle's place and leaves the folder.
            guard let text = search == .folder ? own : all else { return AuthStateCurl_CURLE_OK }
            return text.withUnsafeBytes {
                AuthStateCurlSetBlob(easy, AuthStateCurl_CURLOPT_CAINFO_BLOB, $0.baseAddress, $0.count)
            }
        }

        /// Where distributions keep their authorities, for a libcurl older than 7.84, which does not report its own.
        private static let bundles = [
            "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
            "/etc/ssl/cert.pem",
        ]

        private static var places: [String] { [path(AuthStateCurl_CURLINFO_CAINFO)].compactMap(\.self) + bundles }

        /// The text of the system's bundle, empty when there is none.
        static func systemBundle() -> Data {
            for path in places {
                if let bundle = try? Data(contentsOf: URL(fileURLWithPath: path)) { return bundle }
            }
            return Data()
        }

        /// A path that libcurl was built with; nil when it has none, or is older than 7.84.
        private static func path(_ information: Int) -> String? {
            guard let easy = AuthStateCurlEasyInit() else { return nil }
            defer { AuthStateCurlEasyCleanup(easy) }
            return AuthStateCurlGetPointer(easy, information).map {
                String(cString: $0.assumingMemoryBound(to: CChar.self))
            }
        }

        private static let hexadecimal = Set("0123456789abcdef".utf8)

        /// Whether a folder has a file under the hash of a certificate's name: eight hexadecimal digits, a dot, a number.
        static func isHashed(_ folder: String) -> Bool {
            guard let stream = opendir(folder) else { return false }
            defer { closedir(stream) }
            while let entry = readdir(stream) {
                let isHash = withUnsafeBytes(of: &entry.pointee.d_name) { name in
                    name[8] == UInt8(ascii: ".") && name.prefix(8).allSatisfy(Self.hexadecimal.contains)
                }
                if isHash { return true }
            }
            return false
        }
    }
#endif
