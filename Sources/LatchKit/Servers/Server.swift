import Crypto

/// A server that a dialect of this library recognized.
public struct Server: Sendable, Hashable {
    /// The address of the server.
    public let address: ServerAddress
    /// The dialect of the server.
    package let dialect: any Dialect
    /// The features that the server announced.
    public let features: ServerFeatures
    /// The settings of connections to the server.
    public let connection: ConnectionOptions

    /// Makes a server. ``ServerProbe`` does this after the server was recognized.
    package init(
        address: ServerAddress, dialect: any Dialect, features: ServerFeatures, connection: ConnectionOptions = .init()
    ) {
        self.address = address
        self.dialect = dialect
        self.features = features
        self.connection = connection
    }

    /// Whether both are the same server with the same features. How the connection is made does not matter.
    public static func == (one: Server, other: Server) -> Bool {
        one.address == other.address && one.dialect.id == other.dialect.id && one.features == other.features
    }

    /// Hashes the address and the family.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(address)
        hasher.combine(dialect.id)
    }

    /// Returns a request that carries a token to the server.
    func authorize(_ request: DialectRequest, with token: Secret) -> DialectRequest {
        dialect.authorize(request, with: token, besides: connection.extraHeaders)
    }

    /// Returns this server with what a sign-in found out about it.
    func speaking(_ dialect: any Dialect) -> Server {
        Server(address: address, dialect: dialect, features: features, connection: connection)
    }
}
