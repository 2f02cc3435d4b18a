@testable import GatewayCore

/// The tables of the gateway.
enum DatabaseTables {
    static let all = Set(DatabaseCopy.tables)

    /// The tables whose number of rows is small and does not depend on people, clients and strangers, with the reason.
    static let small = [
        "clients": "1,000 of administrators, and 'oauth.registration.maximum' that registered themselves",
        "signing_keys": "one for each rotation that is still needed",
        "key_checks": "one for each secret of a gateway",
        "unlinked_identities": "500",
        "provider_trust": "one for each provider that was ever configured",
        "provider_sign_outs": "100,000 of a provider, and only a token that the provider has signed adds some",
    ]

    static var growing: Set<String> { all.subtracting(small.keys) }
}
