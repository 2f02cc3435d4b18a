import OpenIDConnect

/// An identity provider that people may sign in through, ready to be asked.
struct BridgeProvider: Sendable {
    /// How it is configured.
    let configuration: ProviderConfiguration
    /// What speaks to it.
    let party: RelyingParty
    /// The path below the dialect's prefix that it sends browsers back to.
    let callbackPath: String

    /// The id.
    var id: String { configuration.id }

    /// What the cookie of a sign-in must allow: a form that the provider posts comes from its site.
    var sameSite: Cookies.SameSite { configuration.settings.responseMode == .formPost ? .none : .lax }

    /// What is asked of the provider beyond the configuration: for an app that it asks the person, and for somebody who shows
    /// once more who it is that it has the person sign in there anew.
    ///
    /// Who has an account open at the provider would be signed in without a word, and another program that took the app's
    /// scheme would get the code. Apple asks by itself and takes no such parameter.
    ///
    /// Source: RFC 8252 §8.6; OpenID Connect Core §3.1.2.1, `prompt`.
    func extraParameters(for destination: BridgeState.Destination, isAgain: Bool = false) -> [(String, String)] {
        if isAgain, configuration.kind != .apple { return [("prompt", "login"), ("max_age", "0")] }
        if case .web = destination { return [] }
        guard configuration.kind != .apple,
            !configuration.settings.parameters.contains(where: { $0.0 == "prompt" })
        else { return [] }
        return [("prompt", "consent")]
    }
}

/// The identity providers, in the order of the configuration.
struct BridgeProviders: Sendable {
    /// All of them.
    let all: [BridgeProvider]

    /// The paths of callbacks that do not name a provider.
    static let bareCallbacks = ["/auth/oauth/callback", "/auth/mobile/oauth/callback"]

    /// The path that a provider sends browsers back to: one of its own, so that no provider's answer can be taken for
    /// another's. The only one keeps the path that servers of this family had before there were several.
    ///
    /// Source: RFC 9700 §4.4.2.2.
    static func callbackPath(of provider: ProviderConfiguration, among count: Int) -> String {
        provider.callback ?? (count == 1 ? bareCallbacks[0] : "/auth/oauth/\(provider.id)/callback")
    }

    /// The provider with an id.
    subscript(id: String) -> BridgeProvider? {
        all.first { $0.id == id }
    }

    /// Where a sign-in goes that names no provider: to the only one, or to the one with the id `google`, as a server of
    /// this family has no other there.
    var unnamed: BridgeProvider? {
        all.count == 1 ? all.first : self["google"]
    }
}
