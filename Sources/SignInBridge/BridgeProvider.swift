package import GatewayCore
package import OpenIDConnect

/// An identity provider that people can sign in through, with its client.
package struct BridgeProvider: Sendable {
    /// The configuration of the provider.
    package let configuration: ProviderConfiguration
    /// The OpenID Connect client for the provider.
    package let party: RelyingParty
    /// The path, below the dialect's prefix, that the provider redirects browsers to.
    package let callbackPath: String

    /// Creates a provider. `callbackPath` is from ``BridgeProviders/callbackPath(of:among:)``.
    package init(configuration: ProviderConfiguration, party: RelyingParty, callbackPath: String) {
        self.configuration = configuration
        self.party = party
        self.callbackPath = callbackPath
    }

    /// The id of the provider.
    package var id: String { configuration.id }

    /// The `SameSite` attribute of the sign-in cookie. A provider that posts a form needs `None`, because the form
    /// comes from its site.
    package var sameSite: SameSite { configuration.settings.responseMode == .formPost ? .none : .lax }

    /// Returns the parameters of the authorization request beyond the configured ones. For an app they require the
    /// person's consent. When a person confirms their identity, they require a new sign-in at the provider. When a person
    /// wants to use another account, the provider asks for it: Google has a page for that, others sign the person in
    /// again, because they may not know `select_account`. Apple always asks.
    ///
    /// Without consent, the provider would sign in a person with an open session silently. Another program that
    /// registered the app's scheme would then get the code. Apple always asks for consent and accepts no such
    /// parameter.
    ///
    /// Source: RFC 8252 §8.6; OpenID Connect Core §3.1.2.1, `prompt`.
    func extraParameters(
        for returnTo: PendingAuthorization.ReturnTarget, requiresReauthentication: Bool = false,
        choosesAccount: Bool = false
    ) -> [(String, String)] {
        if requiresReauthentication, configuration.kind != .apple { return [("prompt", "login"), ("max_age", "0")] }
        if choosesAccount, configuration.kind != .apple {
            return [("prompt", configuration.kind == .google ? "select_account" : "login")]
        }
        if case .web = returnTo { return [] }
        guard configuration.kind != .apple,
            !configuration.settings.parameters.contains(where: { $0.0 == "prompt" })
        else { return [] }
        return [("prompt", "consent")]
    }
}

/// The configured identity providers.
package struct BridgeProviders: Sendable {
    /// All providers, in the order of the configuration.
    package let all: [BridgeProvider]

    /// Creates the list of the configured providers.
    package init(all: [BridgeProvider]) {
        self.all = all
    }

    /// The paths of callbacks that do not name a provider.
    package static let unnamedCallbacks = ["/auth/oauth/callback", "/auth/mobile/oauth/callback"]

    /// Returns the path that a provider redirects browsers to. Each provider has its own, so that the response of one
    /// cannot be mistaken for that of another. A single provider keeps the path that servers of this family used before
    /// they supported several.
    ///
    /// Source: RFC 9700 §4.4.2.2.
    package static func callbackPath(of provider: ProviderConfiguration, among count: Int) -> String {
        provider.callback ?? (count == 1 ? unnamedCallbacks[0] : "/auth/oauth/\(provider.id)/callback")
    }

    /// The provider with an id.
    package subscript(id: String) -> BridgeProvider? {
        all.first { $0.id == id }
    }

    /// The provider for a sign-in that names none: the only one, or the one with the id `google`, which is the only
    /// provider of servers of this family.
    package var unnamed: BridgeProvider? {
        all.count == 1 ? all.first : self["google"]
    }
}
