package import Crypto

/// Settings of the registration of clients by themselves.
package struct RegistrationSettings: Sendable {
    /// Whether clients can register themselves. Default: false.
    package var isEnabled = false
    /// The secret without which no client can register. Nil, the default, for registrations by anybody.
    package var secret: Secret?
    /// The maximum number of registered clients. Default: 1,000.
    package var maximum = 1_000

    /// Creates the default settings.
    init() {}
}
