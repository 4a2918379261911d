import AuthStateOAuth

/// Where a file store keeps the state of a key.
enum FileLayout: Sendable {
    /// A file for each key.
    case folder(String)
    /// One file, for one key.
    case file(String, AuthStateKey)

    /// The path as the user wrote it, symbolic links and all.
    ///
    /// In a folder the name is a hash: a key such as `../x` leads nowhere, and keys that differ only in case stay apart.
    func path(for key: AuthStateKey) throws -> String {
        let path: String
        switch self {
        case .folder(let folder): path = "\(folder)/\(try Fingerprint.of(Array(key.rawValue.utf8))).json"
        case .file(let file, key): path = file
        case .file(let file, let only):
            throw AuthStateError(
                .invalidArgument, stage: .store, "The file \(file) keeps one state, under one key.",
                expected: "the key \(only)", received: "the key \(key)", hint: "Use a folder for several keys.")
        }
        if path.utf8.contains(0) {
            throw AuthStateError(
                .invalidArgument, stage: .store, "The path of the state contains a NUL character.",
                hint: "Choose another path.")
        }
        return path
    }
}
