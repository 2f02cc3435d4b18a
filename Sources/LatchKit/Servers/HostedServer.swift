/// A public server that the maker of a server family operates, and that people choose by its name.
///
/// Source: OX-10.
public struct HostedServer: Hashable, Sendable {
    /// The name, such as `Onyx Cloud`.
    public let name: String
    /// The address.
    public let address: ServerAddress

    /// Every hosted server that this library knows, in the order of the dialects.
    public static let all: [HostedServer] = Dialects.all.compactMap(\.hostedServer)

    /// Returns the server with a name that a person typed. Upper and lower case are equal, and so are a space and a
    /// hyphen: `Onyx Cloud` is also `onyx-cloud`. Nil when there is none.
    static func named(_ text: String) -> HostedServer? {
        all.first { canonical($0.name) == canonical(text) }
    }

    private static func canonical(_ name: String) -> [Substring] {
        name.lowercased().split { $0.isWhitespace || $0 == "-" }
    }
}

extension ServerAddress {
    /// Parses an address that a person typed, or finds the hosted server of that name.
    ///
    /// - Parameter text: As for ``init(_:)``, or the name of one of ``HostedServer/all``, such as `Onyx Cloud` or
    ///   `onyx-cloud`. A server in the local network with the host name `onyx-cloud` is reached as `https://onyx-cloud`.
    /// - Throws: As ``init(_:)``.
    ///
    /// Source: OX-10.
    public init(addressOrName text: String) throws(LatchError) {
        if let server = HostedServer.named(text) {
            self = server.address
        } else {
            try self.init(text)
        }
    }
}
