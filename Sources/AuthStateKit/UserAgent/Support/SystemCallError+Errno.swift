#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension SystemCallError {
    /// The failure of a call that was made just now.
    init(_ call: String, code: Int32 = errno) { self.init(code: code) }
}
