import Wire

/// The addresses that only this machine reaches.
enum Loopback {
    /// Refuses whatever is not an address of loopback; names are not looked up.
    static func check(_ host: String) throws(SandboxError) {
        guard IPAddress(host)?.isLoopback == true else {
            throw SandboxError(
                .notLoopback,
                "The sandbox listens on loopback only, and '\(host)' is no address of it: its passwords are known to "
                    + "everybody; use 127.0.0.1 or ::1.")
        }
    }
}
