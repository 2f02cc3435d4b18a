import CSodium

/// Initialises libsodium once per program.
enum Sodium {
    private static let initialised: Void = {
        // -1 means that the system has no source of random numbers. Nothing in this module is safe in that case.
        precondition(sodium_init() >= 0, "libsodium could not be initialized: the system provides no random numbers.")
    }()

    /// Ensures that the library is initialised. Can be called from any thread, and costs one load after the first call.
    ///
    /// Source: `sodium_init`.
    @inline(__always)
    static func prepare() {
        initialised
    }
}
