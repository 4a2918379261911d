// Darwin's C types, as Swift imports them. In a module of their own, because a struct and a function of C may share a
// name (stat, flock), which Swift allows between modules only.

public typealias mode_t = UInt16
public typealias dev_t = Int32
public typealias ino_t = UInt64
public typealias nlink_t = UInt16
public typealias uid_t = UInt32
public typealias gid_t = UInt32
public typealias pid_t = Int32
public typealias off_t = Int64
public typealias blkcnt_t = Int64
public typealias blksize_t = Int32
public typealias time_t = Int
public typealias OSStatus = Int32
public typealias socklen_t = UInt32
public typealias sa_family_t = UInt8
public typealias in_port_t = UInt16
public typealias in_addr_t = UInt32
public typealias nfds_t = UInt32
public typealias sigset_t = UInt32
public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>
public typealias posix_spawn_file_actions_t = UnsafeMutableRawPointer
public typealias posix_spawnattr_t = UnsafeMutableRawPointer

public struct _opaque_pthread_t {}

public struct pthread_attr_t { public init() {} }

public struct clockid_t: RawRepresentable, Hashable, Sendable {
    public var rawValue: UInt32
    public init(_ rawValue: UInt32) { self.rawValue = rawValue }
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

public struct timespec: Sendable {
    public var tv_sec: time_t = 0
    public var tv_nsec: Int = 0
    public init() {}
    public init(tv_sec: time_t, tv_nsec: Int) { (self.tv_sec, self.tv_nsec) = (tv_sec, tv_nsec) }
}

public struct stat: Sendable {
    public var st_dev: dev_t = 0
    public var st_mode: mode_t = 0
    public var st_nlink: nlink_t = 0
    public var st_ino: ino_t = 0
    public var st_uid: uid_t = 0
    public var st_gid: gid_t = 0
    public var st_rdev: dev_t = 0
    public var st_atimespec = timespec()
    public var st_mtimespec = timespec()
    public var st_ctimespec = timespec()
    public var st_birthtimespec = timespec()
    public var st_size: off_t = 0
    public var st_blocks: blkcnt_t = 0
    public var st_blksize: blksize_t = 0
    public var st_flags: UInt32 = 0
    public var st_gen: UInt32 = 0
    public init() {}
}

public struct fstore_t {
    public var fst_flags: UInt32
    public var fst_posmode: Int32
    public var fst_offset: off_t
    public var fst_length: off_t
    public var fst_bytesalloc: off_t
    public init(fst_flags: UInt32, fst_posmode: Int32, fst_offset: off_t, fst_length: off_t, fst_bytesalloc: off_t) {
        (self.fst_flags, self.fst_posmode, self.fst_offset) = (fst_flags, fst_posmode, fst_offset)
        (self.fst_length, self.fst_bytesalloc) = (fst_length, fst_bytesalloc)
    }
}

public struct flock: Sendable {
    public var l_start: off_t = 0
    public var l_len: off_t = 0
    public var l_pid: pid_t = 0
    public var l_type: Int16 = 0
    public var l_whence: Int16 = 0
    public init() {}
}

public struct pollfd: Sendable {
    public var fd: Int32
    public var events: Int16
    public var revents: Int16
    public init(fd: Int32, events: Int16, revents: Int16) {
        (self.fd, self.events, self.revents) = (fd, events, revents)
    }
}

public struct linger {
    public var l_onoff: Int32
    public var l_linger: Int32
    public init(l_onoff: Int32, l_linger: Int32) { (self.l_onoff, self.l_linger) = (l_onoff, l_linger) }
}

public struct sockaddr {
    public var sa_len: UInt8 = 0
    public var sa_family: sa_family_t = 0
    public init() {}
}

public struct sockaddr_storage {
    public var ss_len: UInt8 = 0
    public var ss_family: sa_family_t = 0
    private var rest: (Int64, Int64, Int64, Int64, Int64, Int64) = (0, 0, 0, 0, 0, 0)
    public init() {}
}

public struct in_addr: Sendable {
    public var s_addr: in_addr_t = 0
    public init() {}
    public init(s_addr: in_addr_t) { self.s_addr = s_addr }
}

public struct in6_addr: Sendable {
    private var bytes: (UInt64, UInt64) = (0, 0)
    public init() {}
}

public struct sockaddr_in {
    public var sin_len: UInt8 = 0
    public var sin_family: sa_family_t = 0
    public var sin_port: in_port_t = 0
    public var sin_addr = in_addr()
    public var sin_zero: (CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar) = (0, 0, 0, 0, 0, 0, 0, 0)
    public init() {}
}

public struct sockaddr_in6 {
    public var sin6_len: UInt8 = 0
    public var sin6_family: sa_family_t = 0
    public var sin6_port: in_port_t = 0
    public var sin6_flowinfo: UInt32 = 0
    public var sin6_addr = in6_addr()
    public var sin6_scope_id: UInt32 = 0
    public init() {}
}
