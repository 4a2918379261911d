// The functions that programs on the stubs really call, in a file of their own because Glibc has types of the same
// names.
import DarwinTypes
import Glibc

public func exit(_ status: Int32) -> Never { Glibc.exit(status) }

@discardableResult
public func clock_gettime(_ clock: DarwinTypes.clockid_t, _ time: UnsafeMutablePointer<DarwinTypes.timespec>!) -> Int32
{
    var now = Glibc.timespec()
    let code = Glibc.clock_gettime(clock.rawValue == 0 ? Glibc.CLOCK_REALTIME : Glibc.CLOCK_MONOTONIC, &now)
    time.pointee = DarwinTypes.timespec(tv_sec: now.tv_sec, tv_nsec: now.tv_nsec)
    return code
}

public func memchr(_ bytes: UnsafeRawPointer!, _ byte: Int32, _ count: Int) -> UnsafeMutableRawPointer! {
    Glibc.memchr(bytes, byte, count)
}

public func memcmp(_ left: UnsafeRawPointer!, _ right: UnsafeRawPointer!, _ count: Int) -> Int32 {
    Glibc.memcmp(left, right, count)
}
