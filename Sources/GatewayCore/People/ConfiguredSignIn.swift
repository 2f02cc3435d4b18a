import HTTPMessages
import OpenIDConnect
import Primitives

/// The ways to sign in that the configuration allows.
package struct ConfiguredSignIn: Sendable {
    /// Whether people may sign in with a password.
    package let acceptsPasswords: Bool
    /// The providers as the statements of ``PeopleStatements`` get them: a JSON array of texts, each the id, a space and
    /// the issuer.
    let providers: String
    /// What the providers prove about the owners of accounts.
    let ownership: AddressOwnership

    /// The id and issuer of a provider.
    struct ProviderKey: Hashable, Sendable {
        let id: ExactText
        let issuer: ExactText

        init(_ id: String, issuer: String) {
            self.id = ExactText(id)
            self.issuer = ExactText(issuer)
        }
    }

    /// Creates a value from the configuration.
    package init(acceptsPasswords: Bool, providers: [ProviderConfiguration]) {
        self.acceptsPasswords = acceptsPasswords
        ownership = AddressOwnership(
            linkingProviders: Set(providers.lazy.filter(\.linksByEmail).map(\.providerKey)),
            otherProviders: Set(providers.lazy.filter { !$0.linksByEmail }.map(\.providerKey)))
        let texts = providers.map { JSONValue.string("\($0.id) \($0.settings.issuer)") }
        self.providers = String(decoding: JSONValue.array(texts).encoded(), as: UTF8.self)
    }
}

extension ProviderConfiguration {
    /// The id and issuer of the provider.
    var providerKey: ConfiguredSignIn.ProviderKey { ConfiguredSignIn.ProviderKey(id, issuer: settings.issuer) }
}

extension PersonIdentity {
    /// The id and issuer of the provider of the identity.
    var providerKey: ConfiguredSignIn.ProviderKey { ConfiguredSignIn.ProviderKey(provider, issuer: issuer) }
}
