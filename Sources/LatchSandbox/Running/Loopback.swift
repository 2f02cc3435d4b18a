import HTTPMessages

/// Validates loopback addresses.
enum Loopback {
    /// Throws an error unless `host` is a loopback IP address. Host names are not resolved.
    static func check(_ host: String) throws(SandboxError) {
        guard IPAddress(host)?.isLoopback == true else {
            throw SandboxError(
                .notLoopback,
                "The sandbox listens only on loopback, and '\(host)' is not a loopback address: its passwords are "
                    + "public; use 127.0.0.1 or ::1.")
        }
    }
}
