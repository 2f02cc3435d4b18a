import OAuth

extension ForwardAuthDialect {
    /// Looks for a server that is protected by a gateway.
    ///
    /// Its metadata name the gateway, which must then identify itself.
    package func discover(_ connection: UnauthenticatedConnection) async throws -> DiscoveryResult {
        switch try await connection.protectedResource() {
        case .none(let reason, let response): return .notRecognized(reason, response)
        case .found(let resource, let response):
            guard let server = resource.server else {
                return .notRecognized("its metadata name no sign-in server", response)
            }
            guard let gateway = Self.gateway(server) else {
                return .notRecognized("the address of its gateway cannot be used", response)
            }
            return try await ask(gateway, for: connection.address, connection)
        }
    }

    private func ask(_ gateway: ServerAddress, for place: ServerAddress, _ connection: UnauthenticatedConnection)
        async throws -> DiscoveryResult
    {
        switch try await inner.discover(connection.connection(to: gateway)) {
        case .notRecognized(let reason, let response):
            return .notRecognized("its gateway \(gateway) was not recognized: \(reason)", response)
        case .server(_, _, var features):
            features.gateway = gateway
            if let warning = Self.warning(of: place, protectedBy: gateway) { features.warnings.append(warning) }
            return .server(ForwardAuthDialect(gateway: gateway), place, features)
        }
    }

    /// Returns a warning when a protected address and the server that signs people in to it do not share a domain.
    static func warning(of place: ServerAddress, protectedBy gateway: ServerAddress) -> String? {
        guard !areRelated(place.host, gateway.host) else { return nil }
        return "\(place.authority) and \(gateway.authority) do not share a domain, and \(place.authority) "
            + "receives the session of your sign-in at \(gateway.authority). Continue only if you trust both."
    }

    /// Returns the address of the gateway, below which its paths are. Nil unless it is encrypted or on this machine.
    static func gateway(_ issuer: String) -> ServerAddress? {
        guard issuer.hasPrefix("https://") || issuer.hasPrefix("http://"), let address = try? ServerAddress(issuer),
            address.isEncrypted || address.isLoopback
        else { return nil }
        return address
    }

    /// Returns whether two hosts are equal, one is a subdomain of the other, or both share a parent domain of at least
    /// two labels.
    ///
    /// Public suffixes such as `co.uk` are not known here, so a warning may be missing for hosts below one.
    static func areRelated(_ one: String, _ other: String) -> Bool {
        if one == other { return true }
        guard !HostName.isIPv4(one), !HostName.isIPv4(other), !one.contains(":"), !other.contains(":") else {
            return false
        }
        let parents = (one.split(separator: "."), other.split(separator: "."))
        let shared = zip(parents.0.reversed(), parents.1.reversed()).prefix { $0 == $1 }.count
        return shared >= 2
    }
}
