package import GatewayConfiguration
package import GatewayCore
import HTTPClient
package import OpenIDConnect
import SignInBridge

/// A check of an identity provider that requires no sign-in.
package struct ProviderCheck: Sendable {
    /// The result of a check.
    package struct Report: Sendable {
        /// The metadata from the discovery document.
        package let metadata: ProviderMetadata
        /// The number of keys that can verify the signature of an ID token.
        package let keyCount: Int
        /// Whether the provider accepts the client id and secret: it refused the made-up code, but not the client.
        /// False when its response does not show which one it refused.
        package let knowsClient: Bool
        /// Possible problems that an operator should look at, one sentence each.
        package let warnings: [String]
    }

    private let provider: ProviderConfiguration
    private let redirect: String
    private let client: HTTPClient

    /// Creates a check of a configured provider.
    ///
    /// - Throws: `TransportError` when its certificate authorities cannot be read.
    package init(_ provider: ProviderConfiguration, of settings: GatewaySettings) throws {
        self.provider = provider
        let callback = settings.callback(of: provider)
        redirect = settings.publicURL == nil ? "http://127.0.0.1" + callback : callback
        client = try Bridge.client(of: provider)
    }

    /// Fetches the discovery document and the keys, and sends a made-up code to the token endpoint.
    ///
    /// - Throws: `OpenIDConnectError` with the problem, or `CancellationError`.
    package func run() async throws -> Report {
        let party = RelyingParty(provider.settings, client: client)
        let metadata = try await party.metadata()
        let count = try await party.keyCount()
        let knowsClient = try await party.knowsClient(redirect: redirect)
        return Report(
            metadata: metadata, keyCount: count, knowsClient: knowsClient,
            warnings: warnings(metadata, keyCount: count, knowsClient: knowsClient))
    }

    private func warnings(_ metadata: ProviderMetadata, keyCount: Int, knowsClient: Bool) -> [String] {
        var warnings: [String] = []
        if !knowsClient {
            warnings.append("It does not show whether the client id and secret are correct; sign in once to check.")
        }
        if keyCount == 0 { warnings.append("It has no key that can verify a signature, so no one can sign in.") }
        let known = Set(["RS256", "PS256", "ES256", "EdDSA"])
        if !metadata.signingAlgorithms.isEmpty, known.isDisjoint(with: metadata.signingAlgorithms) {
            warnings.append("It supports none of the signature algorithms \(known.sorted().joined(separator: ", ")).")
        }
        return warnings
    }
}
