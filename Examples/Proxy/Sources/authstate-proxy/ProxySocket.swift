import AuthStateKit
import AuthStatePlatform
import NIOCore
import NIOPosix

/// A Unix socket that programs of this user alone can reach.
struct ProxySocket: Sendable {
    /// The socket, which listens.
    let descriptor: NIOBSDSocket.Handle
    private let path: String
    private let file: ino_t

    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        private static let stream = SOCK_STREAM
    #endif

    /// Makes the socket, in the place of one on which no program listens.
    ///
    /// - Throws: `AuthStateError`: of kind usage for a folder that other users can enter, for another file in the place, or a path that is
    ///   too long; `.portInUse` when another program listens there.
    init(_ path: String) throws {
        self.path = path
        guard let address = try? SocketAddress(unixDomainSocketPath: path) else {
            throw Self.refusal("The path of --socket is too long for the system.", path, "Choose a shorter one.")
        }
        let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        // Held until the socket listens: of two proxies that start, one finds the other's.
        let folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if folder >= 0 { close(folder) } }
        try Self.check(folder, parent)
        guard flock(folder, LOCK_EX | LOCK_NB) == 0 else {
            throw Self.refusal("Another proxy is starting in the folder of --socket.", path, "Try again.")
        }
        try Self.makeRoom(at: path, address)
        let descriptor = socket(AF_UNIX, Self.stream, 0)
        var status = stat()
        guard descriptor >= 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
            address.withSockAddr({ bind(descriptor, $0, socklen_t($1)) }) == 0, chmod(path, 0o600) == 0,
            lstat(path, &status) == 0, listen(descriptor, 128) == 0
        else {
            let reason = String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            throw Self.refusal("The socket cannot be made: \(reason).", path, "Choose another path for --socket.")
        }
        (self.descriptor, file) = (descriptor, status.st_ino)
    }

    /// Removes the file, unless another one has taken its place.
    func remove() {
        var status = stat()
        if lstat(path, &status) == 0, status.st_ino == file { unlink(path) }
    }

    /// Returns whether the program at the other end is one of this user's. Where the system does not tell it, the folder has kept others
    /// out.
    static func isOfThisUser(_ channel: any Channel) async -> Bool {
        #if os(Linux)
            let options = channel as? any SocketOptionProvider
            let peer: Peer? = try? await options?.unsafeGetSocketOption(
                level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
            ).get()
            return peer?.user == geteuid()
        #else
            return true
        #endif
    }

    /// The layout of `struct ucred` (unix(7)).
    private struct Peer: Sendable {
        var process = pid_t()
        var user = uid_t.max
        var group = gid_t.max
    }

    private static func check(_ folder: Int32, _ path: String) throws {
        var status = stat()
        guard folder >= 0, fstat(folder, &status) == 0 else {
            throw refusal("The folder of --socket cannot be opened.", path, "Make it with 'mkdir -m 700'.")
        }
        let permissions = String(status.st_mode & 0o777, radix: 8)
        guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw refusal(
                "Other users can enter the folder of --socket.",
                "owner \(status.st_uid), permissions \(permissions), at \(path)",
                "Choose a folder of your own, made with 'mkdir -m 700'.",
                expected: "owner \(geteuid()), permissions 700")
        }
    }

    /// Removes a socket that a proxy has left which did not end by itself.
    private static func makeRoom(at path: String, _ address: SocketAddress) throws {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw refusal("There is another file at the path of --socket.", path, "Choose another path, or remove it.")
        }
        let probe = socket(AF_UNIX, Self.stream, 0)
        defer { close(probe) }
        let code = address.withSockAddr { connect(probe, $0, socklen_t($1)) == 0 ? 0 : errno }
        guard code == ECONNREFUSED else {
            throw AuthStateError(
                .portInUse, stage: .usage, "Another program listens on the socket.", received: path.printable(),
                hint: "End it, or choose another path for --socket.")
        }
        unlink(path)
    }

    private static func refusal(
        _ message: String, _ received: String, _ hint: String, expected: String? = nil
    ) -> AuthStateError {
        AuthStateError(
            .invalidArgument, stage: .usage, message, expected: expected, received: received.printable(), hint: hint)
    }
}
