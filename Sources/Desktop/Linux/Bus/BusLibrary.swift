import CLibrary
internal import CSystemd

/// The message bus functions of libsystemd, loaded on first use.
enum BusLibrary {
    /// The functions. Nil when libsystemd is not installed.
    static let functions: latch_bus_functions? = {
        guard let library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL) else { return nil }
        let functions = UnsafeMutablePointer<latch_bus_functions>.allocate(capacity: 1)
        defer { functions.deallocate() }
        return latch_bus_load(library, functions) ? functions.pointee : nil
    }()
}
