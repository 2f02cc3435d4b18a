import HTTPClient
import OAuth

/// The result of a search for the metadata of a protected address.
enum ProtectedResourceLookup: Sendable {
    /// The metadata, and the response that contains them.
    case found(ProtectedResource, ClientResponse)
    /// There are none that can be used, for the reason at the end of a sentence.
    case none(String, ClientResponse)
}

extension UnauthenticatedConnection {
    /// Requests the metadata of the address, if it is protected.
    ///
    /// The first request goes to the address itself. If the response is a 401, its challenge names the location of the
    /// metadata; otherwise they are requested from their well-known location.
    ///
    /// Metadata are accepted only from the protected origin, only encrypted or from this machine, and only when they
    /// are about the requested address.
    ///
    /// - Throws: ``LatchError`` when the server does not respond; `CancellationError`.
    ///
    /// Source: RFC 9728 §3, §3.3, §5.1 and §7.
    func protectedResource() async throws -> ProtectedResourceLookup {
        let first = try await get(address.url)
        let named = first.status == .unauthorized ? ProtectedResource.address(in: first.headers) : nil
        let url = named ?? ProtectedResource.address(origin: address.origin, path: address.prefix)
        guard isBelow(url) else { return .none("its sign-in metadata are on another host", first) }
        guard address.isEncrypted || address.isLoopback else {
            return .none("its sign-in metadata are accepted only over https", first)
        }
        let response = try await get(url)
        guard response.status.isSuccess else {
            return .none("it has no sign-in metadata (\(InterceptedResponse.summary(response)))", response)
        }
        guard response.body.count <= OAuthEndpoint.maximumBodyBytes else {
            return .none("its sign-in metadata are larger than \(OAuthEndpoint.maximumBodyBytes >> 10) KiB", response)
        }
        do {
            return .found(try ProtectedResource(reading: response.body, of: address.url), response)
        } catch {
            return .none(SanitizedText.clean(error.message), response)
        }
    }

    /// Returns whether a URL belongs to the protected origin, without a user name in it.
    private func isBelow(_ url: String) -> Bool {
        url.hasPrefix(address.origin + "/") && url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && !url.contains("#")
    }
}
