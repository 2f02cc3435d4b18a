package import FoundationEssentials
package import JOSE

extension DevelopmentProvider {
    /// The configuration of the provider.
    package struct Configuration: Sendable {
        /// The address to listen on. It must be a loopback address. Default: `127.0.0.1`.
        package var host = "127.0.0.1"
        /// The port to listen on. Default: 0, for a port that the system chooses.
        package var port: UInt16 = 0
        /// The people who can sign in.
        package var people: [ProviderPerson]
        /// The registered clients. ``DevelopmentProvider/register(_:)`` adds more.
        package var clients: [RegisteredClient]
        /// The signature algorithms for ID tokens. The first one is used unless the sign-in page selects another. A key
        /// is generated for each.
        package var algorithms: [SignatureAlgorithm] = [.rs256, .ps256, .es256, .edDSA]
        /// The lifetime of an authorization code. Default: 60 s.
        package var codeLifetime = Duration.seconds(60)
        /// The lifetime of access tokens and ID tokens. Default: 10 minutes.
        package var tokenLifetime = Duration.seconds(600)
        /// The lifetime of a browser session. Default: 8 hours.
        package var sessionLifetime = Duration.seconds(28_800)
        /// The delay of the token endpoint for the fault ``Fault/slow``. Default: 20 s.
        package var responseDelay = Duration.seconds(20)
        /// The clock for issue and expiry times.
        package var now: @Sendable () -> Date = { Date() }

        /// Creates a configuration; see the properties for defaults.
        package init(people: [ProviderPerson], clients: [RegisteredClient] = []) {
            self.people = people
            self.clients = clients
        }
    }
}
