public import AuthStateFoundation

extension SealedAuthStateStore {
    /// Returns the name of the key that stored bytes are sealed with; nil when they are not sealed. Nothing is opened, so
    /// that a program can choose where it gets the key.
    public static func sealingKeyID(of archive: Data) -> String? { try? SealedArchive(data: archive)?.keyID }
}
