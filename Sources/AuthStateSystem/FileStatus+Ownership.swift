package import AuthStateLibc

extension FileStatus {
    /// Returns whether the user, or root, owns it.
    package func isOwned(by user: uid_t) -> Bool { owner == user || owner == 0 }

    /// Whether the group or other users can change it.
    ///
    /// In a folder with the sticky bit, such as `/tmp`, other users can add files and cannot replace the owner's.
    package var isOpenToWriters: Bool { mode & 0o022 != 0 && !(isFolder && mode & 0o1000 != 0) }

    /// Returns whether no other user can have written it.
    package func isAlone(of user: uid_t = geteuid()) -> Bool { isOwned(by: user) && !isOpenToWriters }
}
