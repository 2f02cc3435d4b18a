public import Crypto

/// Where a Redis server is and how it is used.
public struct RedisSettings: Sendable, Equatable {
    /// Where a Redis server listens.
    public enum Address: Sendable, Hashable, CustomStringConvertible {
        /// A host's name or IP address, without brackets, and its port.
        case host(String, port: Int)
        /// The path of a Unix socket.
        case socket(path: String)

        /// The address as `host:port`, `[host]:port` or the path.
        public var description: String {
            switch self {
            case .host(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            case .socket(let path): path
            }
        }
    }

    /// Where the server listens.
    public var address: Address
    /// The number of the database, 0 by default.
    public var database = 0
    /// The user to sign in as; nil for the default user.
    public var user: String?
    /// The password; nil to use the server without signing in.
    public var password: Secret?
    /// How long making a connection may take, signing in to Redis included; 2 s by default.
    public var connectTimeout = Duration.seconds(2)
    /// How long a command may take, its wait for the ones before it included; 2 s by default.
    public var commandTimeout = Duration.seconds(2)
    /// How many commands may wait; what comes then is refused at once. 4,096 by default.
    public var maximumWaiting = 4_096

    /// Makes settings of an address and defaults.
    public init(_ address: Address) {
        self.address = address
    }
}
