public import Crypto

/// The address and options of a Redis server.
public struct RedisSettings: Sendable, Equatable {
    /// The address of a Redis server.
    public enum Address: Sendable, Hashable, CustomStringConvertible {
        /// A host name or IP address, without brackets, and a port.
        case host(String, port: Int)
        /// The path of a Unix domain socket.
        case socket(path: String)

        /// The address as `host:port`, as `[host]:port` for IPv6, or as the path.
        public var description: String {
            switch self {
            case .host(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            case .socket(let path): path
            }
        }
    }

    /// The address of the server.
    public var address: Address
    /// The number of the database. Default: 0.
    public var database = 0
    /// The user name. Nil, the default, for Redis's default user.
    public var user: String?
    /// The password. Nil, the default, to connect without authentication.
    public var password: Secret?
    /// The timeout for connecting, including authentication. Default: 2 s.
    public var connectTimeout = Duration.seconds(2)
    /// The timeout of a command, including its time in the queue. Default: 2 s.
    public var commandTimeout = Duration.seconds(2)
    /// The maximum number of queued commands. Further commands fail at once. Default: 4,096.
    public var maximumWaiting = 4_096

    /// Creates settings with an address and defaults.
    public init(_ address: Address) {
        self.address = address
    }
}
