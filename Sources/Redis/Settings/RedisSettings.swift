package import Crypto

/// The address and options of a Redis server.
package struct RedisSettings: Sendable, Equatable {
    /// The address of a Redis server.
    package enum Address: Sendable, Hashable, CustomStringConvertible {
        /// A host name or IP address, without brackets, and a port.
        case host(String, port: Int)
        /// The path of a Unix domain socket.
        case socket(path: String)

        /// The address as `host:port`, as `[host]:port` for IPv6, or as the path.
        package var description: String {
            switch self {
            case .host(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            case .socket(let path): path
            }
        }
    }

    /// The address of the server.
    package var address: Address
    /// The number of the database. Default: 0.
    package var database = 0
    /// The user name. Nil, the default, for Redis's default user.
    package var user: String?
    /// The password. Nil, the default, to connect without authentication.
    package var password: Secret?
    /// The timeout for connecting, including authentication. Default: 2 s.
    package var connectTimeout = Duration.seconds(2)
    /// The timeout of a command, including its time in the queue. Default: 2 s.
    package var commandTimeout = Duration.seconds(2)
    /// The maximum number of queued commands. Further commands fail at once. Default: 4,096.
    package var maximumWaiting = 4_096

    /// Creates settings with an address and defaults.
    package init(_ address: Address) {
        self.address = address
    }
}
