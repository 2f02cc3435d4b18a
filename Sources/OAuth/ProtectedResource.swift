package import HTTPMessages

/// The metadata of a protected resource: who signs people in to it.
///
/// Source: RFC 9728 §2.
package struct ProtectedResource: Sendable, Equatable {
    /// The part of the metadata's URL between the host and the path of the resource.
    package static let wellKnown = "/.well-known/oauth-protected-resource"

    /// The name of the member that names the gateway. It is specific to latchd: `authorization_servers` lists OAuth
    /// servers that any client can use, and the gateway is not one.
    package static let serverMember = "latchd_server"

    /// The resource, as its metadata write it.
    package var resource: String
    /// The gateway whose tokens the resource accepts. Nil when the metadata name none.
    package var server: String?
    /// The issuers of the authorization servers whose tokens the resource accepts. Empty when the metadata name none.
    package var authorizationServers: [String]
    /// The scopes with which clients should ask for access, at most ``maximumScopes``. Empty when the metadata name none.
    package var scopes: [String]

    /// The maximum number of scopes that are read.
    package static let maximumScopes = 32

    /// Returns the default URL of the metadata of a resource. The well-known part is between the host and the path.
    ///
    /// Source: RFC 9728 §3.1.
    package static func address(origin: String, path: String) -> String {
        origin + wellKnown + (path == "/" ? "" : path)
    }

    /// Returns the URL of the metadata in a response's challenge. Nil when there is none.
    ///
    /// Source: RFC 9728 §5.1.
    package static func address(in headers: HTTPHeaders) -> String? {
        AuthenticationChallenge.all(in: headers.values("WWW-Authenticate"))
            .first { $0.scheme == "bearer" && $0.parameters["resource_metadata"] != nil }?
            .parameters["resource_metadata"]
    }

    /// Parses and validates metadata.
    ///
    /// - Parameters:
    ///   - body: The body of the response.
    ///   - address: The protected address for which the metadata were requested. `resource` must be the same, character
    ///     by character, except for a trailing slash that stands for an empty path.
    /// - Throws: ``OAuthError/Code/malformed`` for invalid metadata, ``OAuthError/Code/issuerMismatch`` for metadata of
    ///   another address.
    ///
    /// Source: RFC 9728 §2, §3.3 and §6; RFC 3986 §6.2.3.
    package init(reading body: [UInt8], of address: String) throws(OAuthError) {
        guard let value = try? JSONValue(parsing: body), case .object = value,
            let resource = value["resource"]?.string
        else { throw OAuthError(.malformed, "its sign-in metadata are not valid") }
        guard resource == address || resource == address + "/" && Self.hasNoPath(address) else {
            throw OAuthError(
                .issuerMismatch, "its metadata are about '\(resource)' and not about the requested address")
        }
        if let methods = value["bearer_methods_supported"] {
            guard methods.array?.contains(where: { $0.string == "header" }) == true else {
                throw OAuthError(.malformed, "it does not accept tokens in header fields")
            }
        }
        let servers = value["authorization_servers"] ?? []
        guard let elements = servers.array, case let issuers = elements.compactMap(\.string),
            issuers.count == elements.count
        else { throw OAuthError(.malformed, "'authorization_servers' in its metadata is not an array of strings") }
        self.resource = resource
        server = value[Self.serverMember]?.string.flatMap { $0.isEmpty ? nil : $0 }
        authorizationServers = issuers
        let named = (value["scopes_supported"]?.array ?? []).compactMap(\.string)
            .filter { ScopeToken.isValid($0) && $0.utf8.count <= 256 }
        scopes = Array(named.prefix(Self.maximumScopes))
    }

    private static func hasNoPath(_ address: String) -> Bool {
        guard let scheme = address.firstRange(of: "://") else { return false }
        return !address[scheme.upperBound...].contains("/")
    }
}
