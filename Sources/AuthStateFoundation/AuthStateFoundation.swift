// The one place where the package chooses between Foundation and its smaller core, which needs no ICU data on Linux.
#if canImport(FoundationEssentials)
    @_exported public import FoundationEssentials
#else
    @_exported public import Foundation
#endif
