import HTTPClient
public import OpenIDConnect

/// Asks an identity provider what can be asked without signing anybody in.
public struct ProviderCheck: Sendable {
    /// What it said.
    public struct Answer: Sendable {
        /// What it says of itself.
        public let metadata: ProviderMetadata
        /// How many keys it has that a signature of an ID token can be checked by.
        public let keyCount: Int
        /// Whether the provider accepts the client id and secret: it refused a made-up code and not the client. False where its
        /// answer does not say which.
        public let knowsClient: Bool
        /// What an operator should look at although it may work, a sentence each.
        public let warnings: [String]
    }

    private let provider: ProviderConfiguration
    private let redirect: String
    private let client: HTTPClient

    /// Takes a provider as it is configured.
    ///
    /// - Throws: `TransportError` when its authorities cannot be read.
    public init(_ provider: ProviderConfiguration, of settings: GatewaySettings) throws {
        self.provider = provider
        let callback = settings.callback(of: provider)
        redirect = settings.publicURL == nil ? "http://127.0.0.1" + callback : callback
        client = try Bridge.client(of: provider)
    }

    /// Fetches the discovery document and the keys, and sends a made-up code to the token endpoint.
    ///
    /// - Throws: `OpenIDConnectError` with what is wrong, or `CancellationError`.
    public func run() async throws -> Answer {
        let party = RelyingParty(provider.settings, client: client)
        let metadata = try await party.metadata()
        let count = try await party.keyCount()
        let knowsClient = try await party.knowsClient(redirect: redirect)
        return Answer(
            metadata: metadata, keyCount: count, knowsClient: knowsClient,
            warnings: warnings(metadata, keyCount: count, knowsClient: knowsClient))
    }

    private func warnings(_ metadata: ProviderMetadata, keyCount: Int, knowsClient: Bool) -> [String] {
        var warnings: [String] = []
        if !knowsClient {
            warnings.append("It does not tell whether the client id and secret are right; sign in once to see.")
        }
        if keyCount == 0 { warnings.append("It has no key that a signature can be checked by, so nobody can sign in.") }
        let known = Set(["RS256", "PS256", "ES256", "EdDSA"])
        if !metadata.signingAlgorithms.isEmpty, known.isDisjoint(with: metadata.signingAlgorithms) {
            warnings.append("It signs by none of \(known.sorted().joined(separator: ", ")).")
        }
        return warnings
    }
}

extension GatewaySettings {
    /// The address to register at a provider as redirect address; without ``publicURL`` only its path.
    public func callback(of provider: ProviderConfiguration) -> String {
        (publicURL ?? "") + onyx.prefix + BridgeProviders.callbackPath(of: provider, among: providers.count)
    }

    /// The further addresses to register, for the dialects that have one of their own.
    public func furtherCallbacks(of provider: ProviderConfiguration) -> [String] {
        guard timeTracker.isEnabled else { return [] }
        let own =
            (publicURL ?? "") + timeTracker.prefix
            + TimeTrackerRoutes.callbackPath(of: provider, among: providers.count)
        let isPosted = provider.settings.responseMode == .formPost
        return [own] + (timeTracker.callback == .app && !isPosted ? timeTracker.redirects : [])
    }
}
