// The one place where the package chooses the C library of the platform.
#if canImport(Darwin)
    @_exported public import Darwin
#elseif canImport(Musl)
    @_exported public import Musl
#elseif canImport(Glibc)
    @_exported public import Glibc
#endif
