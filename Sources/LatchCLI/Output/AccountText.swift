import FoundationEssentials
import LatchKit
import Terminal

/// How an account is shown.
enum AccountText {
    /// The first eight digits of the id: enough to tell accounts apart.
    static func shortID(_ account: Account) -> String {
        String(account.id.uuidString.lowercased().prefix(8))
    }

    /// What a person reads about whether there is a session.
    static func standing(_ account: Account) -> String {
        account.isSignedIn ? "signed in" : "signed out"
    }

    /// The account's stable members: the nine of RM-1 and how it stands.
    static func json(_ account: Account) -> JSONValue {
        .object([
            .init("id", .string(account.id.uuidString.lowercased())),
            .init("number", .number(Double(account.number))),
            .init("displayName", .string(account.displayName)),
            .init("serverUrl", .string(account.serverURL.url)),
            .init("userEmail", .string(account.userEmail)),
            .init("apiKeyId", account.apiKeyID.map { .string($0) } ?? .null),
            .init("scopes", .array(account.scopes.map { .string($0) })),
            .init("createdAt", .string(account.createdAt.forPrograms)),
            .init("lastUsedAt", .string(account.lastUsedAt.forPrograms)),
            .init("isActive", .bool(account.isActive)),
            .init("dialect", .string(account.dialect.rawValue)),
            .init("isSignedIn", .bool(account.isSignedIn)),
            .init("endedBecause", account.endedBecause.map { .string($0) } ?? .null),
            .init("mustChangePassword", .bool(account.mustChangePassword)),
        ])
    }
}

/// How the secret store is shown.
enum SecretsText {
    static func json(_ secrets: DeviceSecrets) -> JSONValue {
        .object([
            .init("store", secrets.remembered.map { .string($0.rawValue) } ?? .null),
            .init("label", .string(secrets.label)),
        ])
    }
}
