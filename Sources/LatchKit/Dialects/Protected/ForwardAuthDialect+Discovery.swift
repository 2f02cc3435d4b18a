import OAuth

extension ForwardAuthDialect {
    /// Looks for a server that is protected by a gateway.
    ///
    /// The first request goes to the address itself. If the response is a 401, its challenge names the location of the
    /// metadata; otherwise the metadata are requested from their well-known location. The gateway that they name must
    /// then identify itself.
    ///
    /// Metadata are accepted only from the protected origin, only encrypted or from this machine, and only when they
    /// are about the requested address.
    ///
    /// Source: RFC 9728 §3, §3.3, §5.1 and §7.
    package func discover(_ connection: UnauthenticatedConnection) async throws -> DiscoveryResult {
        let place = connection.address
        let first = try await connection.get(place.url)
        let named = first.status == .unauthorized ? ProtectedResource.address(in: first.headers) : nil
        let usual = ProtectedResource.address(origin: place.origin, path: place.prefix)
        let url = named ?? usual
        guard Self.isBelow(place, url) else {
            return .notRecognized("its sign-in metadata are on another host", first)
        }
        guard place.isEncrypted || place.isLoopback else {
            return .notRecognized("its sign-in metadata are accepted only over https", first)
        }
        let response = try await connection.get(url)
        guard response.status.isSuccess else {
            return .notRecognized("it has no sign-in metadata (\(InterceptedResponse.summary(response)))", response)
        }
        let metadata: ProtectedResource
        do {
            metadata = try ProtectedResource(reading: response.body, of: place.url)
        } catch {
            return .notRecognized(SanitizedText.clean(error.message), response)
        }
        guard let gateway = Self.gateway(metadata.server) else {
            return .notRecognized("the address of its gateway cannot be used", response)
        }
        return try await ask(gateway, for: place, connection)
    }

    private func ask(_ gateway: ServerAddress, for place: ServerAddress, _ connection: UnauthenticatedConnection)
        async throws -> DiscoveryResult
    {
        switch try await inner.discover(connection.connection(to: gateway)) {
        case .notRecognized(let reason, let response):
            return .notRecognized("its gateway \(gateway) was not recognized: \(reason)", response)
        case .server(_, _, var features):
            features.gateway = gateway
            if !Self.areRelated(place.host, gateway.host) {
                features.warnings.append(
                    "\(place.authority) and \(gateway.authority) do not share a domain, and \(place.authority) "
                        + "receives the session of your sign-in at \(gateway.authority). Continue only if you trust "
                        + "both.")
            }
            return .server(ForwardAuthDialect(gateway: gateway), place, features)
        }
    }

    /// Returns whether a URL belongs to the protected origin, without a user name in it.
    private static func isBelow(_ place: ServerAddress, _ url: String) -> Bool {
        url.hasPrefix(place.origin + "/") && url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && !url.contains("#")
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
