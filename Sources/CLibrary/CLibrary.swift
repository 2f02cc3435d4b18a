// The system's C library under one name. Every other file imports this module.
#if canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Musl)
    @_exported public import Musl
#elseif canImport(Darwin)
    @_exported public import Darwin
#else
    #error("CLibrary does not know the C library of this system")
#endif
