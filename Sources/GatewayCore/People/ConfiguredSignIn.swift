import HTTPMessages
import OpenIDConnect

/// The ways to sign in that the configuration allows.
package struct ConfiguredSignIn: Sendable {
    /// Whether people may sign in with a password.
    package let acceptsPasswords: Bool
    /// The providers as the statements of ``PeopleStatements`` get them: a JSON array of texts, each the id, a space and
    /// the issuer.
    let providers: String
    /// The ids of the providers whose verified addresses prove to whom an account belongs: those that link by address.
    let linkingProviders: Set<String>
    /// The ids of the other providers.
    let otherProviders: Set<String>

    /// Creates a value from the configuration.
    package init(acceptsPasswords: Bool, providers: [ProviderConfiguration]) {
        self.acceptsPasswords = acceptsPasswords
        linkingProviders = Set(providers.lazy.filter(\.linksByEmail).map(\.id))
        otherProviders = Set(providers.lazy.filter { !$0.linksByEmail }.map(\.id))
        let texts = providers.map { JSONValue.string("\($0.id) \($0.settings.issuer)") }
        self.providers = String(decoding: JSONValue.array(texts).encoded(), as: UTF8.self)
    }
}
