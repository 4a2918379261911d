import AuthStateKit
import AuthStatePlatform

/// Writes all bytes to a descriptor; returns false, with the reason in `errno`, when it takes no more.
public func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    return writeAll(&rest, to: descriptor)
}

/// Writes all bytes to a descriptor, and leaves those that it does not take; returns false, with the reason in `errno`, when it takes
/// no more.
public func writeAll(_ rest: inout ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR || errno == EAGAIN {
            isReady(descriptor, for: POLLOUT)
            continue
        }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
    }
    return true
}

/// Waits until a descriptor has bytes (`POLLIN`) or room for them (`POLLOUT`); -1 milliseconds have no end. Returns false when the time
/// is over, or the descriptor has failed.
@discardableResult
func isReady(_ descriptor: Int32, for events: Int32, milliseconds: Int32 = -1) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    return poll(&request, 1, milliseconds) == 1 && request.revents & Int16(events) != 0
}

/// Lends strings to a system call, as an array that ends with a null pointer.
func withCStrings<R>(_ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R) -> R {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
}

#if canImport(Darwin)
    typealias SpawnFileActions = posix_spawn_file_actions_t?
    private typealias SpawnAttributes = posix_spawnattr_t?
#else
    typealias SpawnFileActions = posix_spawn_file_actions_t
    private typealias SpawnAttributes = posix_spawnattr_t
#endif

/// Starts a process with the environment of this one; the threads of a pool block signals, which it does not inherit.
///
/// - Parameters:
///   - path: The program.
///   - words: Its name and its arguments.
///   - flags: Flags of `posix_spawn` beside that for the signals.
///   - prepare: Adds the actions on descriptors.
/// - Throws: `AuthStateError` of kind usage.
func spawn(
    _ path: String, _ words: [String], flags: Int16, _ prepare: (inout SpawnFileActions) -> Void
) throws -> pid_t {
    #if canImport(Darwin)
        var (files, attributes) = (SpawnFileActions.none, SpawnAttributes.none)
    #else
        var (files, attributes) = (SpawnFileActions(), SpawnAttributes())
    #endif
    posix_spawn_file_actions_init(&files)
    posix_spawnattr_init(&attributes)
    defer {
        posix_spawn_file_actions_destroy(&files)
        posix_spawnattr_destroy(&attributes)
    }
    prepare(&files)
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | flags)
    let environment = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
    var process = pid_t()
    let code = withCStrings(words) { words in
        withCStrings(environment) { posix_spawn(&process, path, &files, &attributes, words, $0) }
    }
    guard code == 0 else { throw AuthStateError.notStarted(code) }
    return process
}

extension AuthStateError {
    /// The system starts no process, for a reason of `errno`.
    static func notStarted(_ code: Int32) -> AuthStateError {
        AuthStateError(
            .unsupported, stage: .usage, "Another process cannot be started: \(String(cString: strerror(code))).")
    }
}
