import AuthStateLibc

/// The random numbers of the system, which follow from the run: `state`, PKCE, names of grants and jitter repeat too.
///
/// Swift's runtime asks the kernel by `syscall(SYS_getrandom, …)`. This program exports a function of that name, which the
/// dynamic linker prefers to the C library's; the linker has to be told so by `--export-dynamic`.
enum SeededRandomness {
    nonisolated(unsafe) fileprivate static var numbers: SeededNumbers?
    // Neither of them may be initialised lazily: that itself makes a system call.
    nonisolated(unsafe) fileprivate static var original: SystemCall?

    fileprivate typealias SystemCall = @convention(c) (Int, Int, Int, Int, Int, Int, Int) -> Int

    /// Begins the numbers of a run anew.
    static func begin(_ seed: UInt64 = 0) { numbers = SeededNumbers(seed: seed ^ 0xA11CE) }

    /// Whether the numbers follow from the seed.
    static var isInstalled: Bool {
        func first() -> UInt64 {
            begin()
            return UInt64.random(in: 0...UInt64.max)
        }
        return first() == first()
    }

    #if arch(x86_64)
        fileprivate static let getrandom = 318
    #else
        fileprivate static let getrandom = 278
    #endif
}

/// Answers the request for random numbers, and passes every other one on to the C library.
@_cdecl("syscall")
public func seededSystemCall(
    _ number: Int, _ a: Int, _ b: Int, _ c: Int, _ d: Int, _ e: Int, _ f: Int
) -> Int {
    // Swift asks for a word at a time. The cryptographic library asks for more, at times of its own.
    if number == SeededRandomness.getrandom, SeededRandomness.numbers != nil, b <= 8,
        let bytes = UnsafeMutablePointer<UInt8>(bitPattern: a)
    {
        for index in 0..<b {
            bytes[index] = UInt8(truncatingIfNeeded: SeededRandomness.numbers?.next() ?? 0)
        }
        return b
    }
    if SeededRandomness.original == nil {
        let next = UnsafeMutableRawPointer(bitPattern: -1)
        SeededRandomness.original = unsafeBitCast(dlsym(next, "syscall"), to: SeededRandomness.SystemCall?.self)
    }
    return SeededRandomness.original?(number, a, b, c, d, e, f) ?? -1
}
