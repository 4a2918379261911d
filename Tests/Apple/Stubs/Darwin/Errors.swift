public var errno: Int32 {
    get { 0 }
    set {}
}

public var EPERM: Int32 { 1 }
public var ENOENT: Int32 { 2 }
public var EINTR: Int32 { 4 }
public var EIO: Int32 { 5 }
public var ECHILD: Int32 { 10 }
public var ENOMEM: Int32 { 12 }
public var EACCES: Int32 { 13 }
public var EBUSY: Int32 { 16 }
public var EEXIST: Int32 { 17 }
public var ENOTDIR: Int32 { 20 }
public var EISDIR: Int32 { 21 }
public var EINVAL: Int32 { 22 }
public var ENFILE: Int32 { 23 }
public var EMFILE: Int32 { 24 }
public var EFBIG: Int32 { 27 }
public var ENOSPC: Int32 { 28 }
public var EROFS: Int32 { 30 }
public var EPIPE: Int32 { 32 }
public var EAGAIN: Int32 { 35 }
public var EWOULDBLOCK: Int32 { EAGAIN }
public var ENOTSUP: Int32 { 45 }
public var EAFNOSUPPORT: Int32 { 47 }
public var EADDRINUSE: Int32 { 48 }
public var EADDRNOTAVAIL: Int32 { 49 }
public var ECONNABORTED: Int32 { 53 }
public var ENOBUFS: Int32 { 55 }
public var ETIMEDOUT: Int32 { 60 }
public var ELOOP: Int32 { 62 }
public var ENAMETOOLONG: Int32 { 63 }
public var EDQUOT: Int32 { 69 }
public var ESTALE: Int32 { 70 }
public var ENOLCK: Int32 { 77 }
public var EOPNOTSUPP: Int32 { 102 }

@discardableResult
public func strerror_r(_ code: Int32, _ text: UnsafeMutablePointer<CChar>!, _ size: Int) -> Int32 { fatalError() }
