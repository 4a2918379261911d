@_exported import DarwinTypes

public var O_RDONLY: Int32 { 0x0 }
public var O_WRONLY: Int32 { 0x1 }
public var O_RDWR: Int32 { 0x2 }
public var O_NONBLOCK: Int32 { 0x4 }
public var O_NOFOLLOW: Int32 { 0x100 }
public var O_CREAT: Int32 { 0x200 }
public var O_TRUNC: Int32 { 0x400 }
public var O_EXCL: Int32 { 0x800 }
public var O_DIRECTORY: Int32 { 0x10_0000 }
public var O_CLOEXEC: Int32 { 0x100_0000 }

public var F_GETFD: Int32 { 1 }
public var F_SETFD: Int32 { 2 }
public var F_GETFL: Int32 { 3 }
public var F_SETFL: Int32 { 4 }
public var F_UNLCK: Int32 { 2 }
public var F_WRLCK: Int32 { 3 }
public var F_PREALLOCATE: Int32 { 42 }
public var F_FULLFSYNC: Int32 { 51 }
public var F_BARRIERFSYNC: Int32 { 85 }
public var F_ALLOCATECONTIG: Int32 { 2 }
public var F_ALLOCATEALL: Int32 { 4 }
public var F_PEOFPOSMODE: Int32 { 3 }
public var FD_CLOEXEC: Int32 { 1 }

public var LOCK_SH: Int32 { 1 }
public var LOCK_EX: Int32 { 2 }
public var LOCK_NB: Int32 { 4 }
public var LOCK_UN: Int32 { 8 }

public var S_IFMT: mode_t { 0o170000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFLNK: mode_t { 0o120000 }
public var X_OK: Int32 { 1 }
public var STDIN_FILENO: Int32 { 0 }
public var STDOUT_FILENO: Int32 { 1 }
public var STDERR_FILENO: Int32 { 2 }
public var PATH_MAX: Int32 { 1024 }

public func isatty(_ descriptor: Int32) -> Int32 { fatalError() }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { fatalError() }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { fatalError() }
public func fcntl(_ descriptor: Int32, _ command: Int32) -> Int32 { fatalError() }
public func fcntl(_ descriptor: Int32, _ command: Int32, _ value: Int32) -> Int32 { fatalError() }
public func fcntl(_ descriptor: Int32, _ command: Int32, _ pointer: UnsafeMutableRawPointer) -> Int32 { fatalError() }

@discardableResult public func close(_ descriptor: Int32) -> Int32 { fatalError() }
@discardableResult public func read(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer!, _ count: Int) -> Int {
    fatalError()
}
@discardableResult public func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer!, _ count: Int) -> Int {
    fatalError()
}
@discardableResult public func pwrite(
    _ descriptor: Int32, _ bytes: UnsafeRawPointer!, _ count: Int, _ offset: off_t
) -> Int { fatalError() }
@discardableResult public func fstat(_ descriptor: Int32, _ status: UnsafeMutablePointer<DarwinTypes.stat>!) -> Int32 {
    fatalError()
}
@discardableResult public func stat(
    _ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<DarwinTypes.stat>!
) -> Int32 { fatalError() }
@discardableResult public func lstat(
    _ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<DarwinTypes.stat>!
) -> Int32 { fatalError() }
@discardableResult public func fsync(_ descriptor: Int32) -> Int32 { fatalError() }
@discardableResult public func ftruncate(_ descriptor: Int32, _ size: off_t) -> Int32 { fatalError() }
@discardableResult public func fchmod(_ descriptor: Int32, _ mode: mode_t) -> Int32 { fatalError() }
@discardableResult public func chmod(_ path: UnsafePointer<CChar>!, _ mode: mode_t) -> Int32 { fatalError() }
@discardableResult public func mkdir(_ path: UnsafePointer<CChar>!, _ mode: mode_t) -> Int32 { fatalError() }
@discardableResult public func flock(_ descriptor: Int32, _ operation: Int32) -> Int32 { fatalError() }
@discardableResult public func unlink(_ path: UnsafePointer<CChar>!) -> Int32 { fatalError() }
@discardableResult public func rename(_ old: UnsafePointer<CChar>!, _ new: UnsafePointer<CChar>!) -> Int32 {
    fatalError()
}
@discardableResult public func access(_ path: UnsafePointer<CChar>!, _ mode: Int32) -> Int32 { fatalError() }
@discardableResult public func readlink(
    _ path: UnsafePointer<CChar>!, _ target: UnsafeMutablePointer<CChar>!, _ size: Int
) -> Int { fatalError() }
@discardableResult public func realpath(
    _ path: UnsafePointer<CChar>!, _ resolved: UnsafeMutablePointer<CChar>!
) -> UnsafeMutablePointer<CChar>! { fatalError() }
@discardableResult public func getcwd(
    _ path: UnsafeMutablePointer<CChar>!, _ size: Int
) -> UnsafeMutablePointer<CChar>! { fatalError() }
@discardableResult public func pipe(_ ends: UnsafeMutablePointer<Int32>!) -> Int32 { fatalError() }
@discardableResult public func strdup(_ text: UnsafePointer<CChar>!) -> UnsafeMutablePointer<CChar>! { fatalError() }
public func free(_ pointer: UnsafeMutableRawPointer!) { fatalError() }
public var SEEK_SET: Int32 { 0 }
public var SEEK_END: Int32 { 2 }
@discardableResult public func mkstemp(_ template: UnsafeMutablePointer<CChar>!) -> Int32 { fatalError() }
@discardableResult public func lseek(_ descriptor: Int32, _ offset: off_t, _ origin: Int32) -> off_t { fatalError() }
@discardableResult public func pread(
    _ descriptor: Int32, _ bytes: UnsafeMutableRawPointer!, _ count: Int, _ offset: off_t
) -> Int { fatalError() }
