import CLibrary
import CSecret

/// The functions of libsecret and GLib, loaded on first use.
enum SecretLibrary {
    /// The functions. Nil when the libraries are not installed.
    static let functions: latch_secret_functions? = {
        guard let library = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL) else { return nil }
        let functions = UnsafeMutablePointer<latch_secret_functions>.allocate(capacity: 1)
        defer { functions.deallocate() }
        return latch_secret_load(library, functions) ? functions.pointee : nil
    }()
}
