package import Crypto

/// Settings of the registration of clients by themselves.
package struct RegistrationSettings: Sendable {
    /// Whether clients can register themselves. Default: false.
    package var isEnabled = false
    /// The secret without which no client can register. Nil, the default, for registrations by anybody.
    package var secret: Secret?
    /// The maximum number of registered clients. Default: 1,000.
    package var maximum = 1_000
    /// Whether people may sign in to a registered client only after an administrator has approved it. Default: false.
    package var requiresApproval = false
    /// The addresses that clients may register. Empty, the default, for all that are valid.
    package var redirects: [RegistrationRedirect] = []
    /// How long a client stays without anybody signing in to it. Default: 1 day.
    package var unusedLifetime = Duration.seconds(86_400)
    /// How long a client stays after its last use. Default: 90 days.
    package var idleLifetime = Duration.seconds(90 * 86_400)

    /// Whether a client may register an address.
    package func allows(_ redirect: String) -> Bool {
        redirects.isEmpty || redirects.contains { $0.covers(redirect) }
    }

    /// Creates the default settings.
    init() {}
}
