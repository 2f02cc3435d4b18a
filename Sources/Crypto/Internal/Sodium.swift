import CSodium

/// libsodium, initialised once for the whole program.
enum Sodium {
    private static let initialised: Void = {
        // -1 means that the system has no source of random numbers; nothing in this module is safe then.
        precondition(sodium_init() >= 0, "libsodium could not be initialised: the system gives no random numbers.")
    }()

    /// Makes sure that the library picked its implementations; safe from any thread, costs one load after the first.
    ///
    /// Source: `sodium_init`.
    @inline(__always)
    static func prepare() {
        initialised
    }
}
