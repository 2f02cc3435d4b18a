public import FoundationEssentials
public import JOSE

extension DevelopmentProvider {
    /// The configuration of the provider.
    public struct Configuration: Sendable {
        /// The address to listen on. It must be a loopback address. Default: `127.0.0.1`.
        public var host = "127.0.0.1"
        /// The port to listen on. Default: 0, for a port that the system chooses.
        public var port: UInt16 = 0
        /// The people who can sign in.
        public var people: [ProviderPerson]
        /// The registered clients. ``DevelopmentProvider/register(_:)`` adds more.
        public var clients: [RegisteredClient]
        /// The signature algorithms for ID tokens. The first one is used unless the sign-in page selects another. A key
        /// is generated for each.
        public var algorithms: [SignatureAlgorithm] = [.rs256, .ps256, .es256, .edDSA]
        /// The lifetime of an authorization code. Default: 60 s.
        public var codeLifetime = Duration.seconds(60)
        /// The lifetime of access tokens and ID tokens. Default: 10 minutes.
        public var tokenLifetime = Duration.seconds(600)
        /// The lifetime of a browser session. Default: 8 hours.
        public var sessionLifetime = Duration.seconds(28_800)
        /// The delay of the token endpoint for the fault ``Fault/slow``. Default: 20 s.
        public var slowness = Duration.seconds(20)
        /// The clock for issue and expiry times.
        public var now: @Sendable () -> Date = { Date() }

        /// Creates a configuration; see the properties for defaults.
        public init(people: [ProviderPerson], clients: [RegisteredClient] = []) {
            self.people = people
            self.clients = clients
        }
    }
}
