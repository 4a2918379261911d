import AuthStateFoundation
import AuthStateOAuth
import AuthStateSystem

/// The paths at which a file store keeps states.
enum FileLayout: Sendable {
    /// A file for each key.
    case folder(String)
    /// One file, for one key.
    case file(String, AuthStateKey)

    /// Returns the path as the user wrote it, symbolic links included.
    ///
    /// In a folder the name is a hash: a key such as `../x` leads nowhere, and keys that differ only in case stay apart.
    func path(for key: AuthStateKey) throws -> String {
        try FilePath.check(place)
        switch self {
        case .folder(let folder): return "\(folder)/\(try KeyHash(key).text)\(Self.suffix)"
        case .file(let file, key): return file
        case .file(let file, let only):
            throw AuthStateError(
                .invalidArgument, stage: .store, "The file \(file) keeps one state, under one key.",
                expected: "the key \(only)", received: "the key \(key)", hint: "Use a folder for several keys.")
        }
    }

    private var place: String {
        switch self {
        case .folder(let place), .file(let place, _): place
        }
    }

    private static let suffix = ".json"

    private static func isDigest(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy("0123456789abcdef".utf8.contains)
    }

    /// Returns the keys, or the keys that stand for them, of all states that may be stored; blocks.
    func keys() throws -> [AuthStateKey] {
        switch self {
        case .file(_, let key): return [key]
        case .folder(let folder):
            try FilePath.check(folder)
            guard (try? FileStatus(ofFileAt: folder)) != nil else { return [] }
            let names: [String]
            do { names = try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
                throw AuthStateError(
                    .storeUnreadable, stage: .store, "The folder of the states cannot be read: \(folder).",
                    hint: "Make the folder readable for this user.", underlying: error)
            }
            return names.compactMap { name in
                guard name.hasSuffix(Self.suffix), case let digest = name.dropLast(Self.suffix.count),
                    Self.isDigest(digest)
                else { return nil }
                return AuthStateKey(digest: String(digest))
            }
        }
    }
}
