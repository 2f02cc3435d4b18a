public import FoundationEssentials
public import JOSE

extension DevelopmentProvider {
    /// What the provider serves, and to whom.
    public struct Configuration: Sendable {
        /// The address to listen on; only a loopback one is taken.
        public var host = "127.0.0.1"
        /// The port; 0 has the system choose one.
        public var port: UInt16 = 0
        /// Who can sign in.
        public var people: [ProviderPerson]
        /// Who may ask; ``DevelopmentProvider/register(_:)`` adds more.
        public var clients: [RegisteredClient]
        /// How ID tokens are signed; the first unless the sign-in page says otherwise. A key is made of each.
        public var algorithms: [SignatureAlgorithm] = [.rs256, .ps256, .es256, .edDSA]
        /// How long a code can be redeemed. 60 s by default.
        public var codeLifetime = Duration.seconds(60)
        /// How long an access token and an ID token are good. 10 minutes by default.
        public var tokenLifetime = Duration.seconds(600)
        /// How long the browser stays signed in. 8 hours by default.
        public var sessionLifetime = Duration.seconds(28_800)
        /// How long the token endpoint waits for the fault ``Fault/slow``. 20 s by default.
        public var slowness = Duration.seconds(20)
        /// The clock that expiry is reckoned by.
        public var now: @Sendable () -> Date = { Date() }

        /// Makes a configuration; see the properties for defaults.
        public init(people: [ProviderPerson], clients: [RegisteredClient] = []) {
            self.people = people
            self.clients = clients
        }
    }
}
