import FoundationEssentials
import HTTPMessages
import LatchKit
import Terminal

/// The text and JSON forms of an account.
enum AccountText {
    /// Returns the first eight digits of the id, which are enough to tell accounts apart.
    static func shortID(_ account: Account) -> String {
        String(account.id.uuidString.lowercased().prefix(8))
    }

    /// Returns a text about whether the account has a session.
    static func standing(_ account: Account) -> String {
        account.isSignedIn ? "signed in" : "signed out"
    }

    /// Returns the stable JSON members of the account: the nine of RM-1 and its state.
    static func json(_ account: Account) -> JSONValue {
        .object([
            .init("id", .string(account.id.uuidString.lowercased())),
            .init("number", .number(Double(account.number))),
            .init("displayName", .string(account.displayName)),
            .init("serverUrl", .string(account.serverURL.url)),
            .init("userEmail", .string(account.userEmail)),
            .init("personId", account.personID.map { .string($0) } ?? .null),
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

/// The JSON form of the secret store.
enum SecretsText {
    static func json(_ secrets: DeviceSecrets) -> JSONValue {
        .object([
            .init("store", secrets.remembered.map { .string($0.rawValue) } ?? .null),
            .init("label", .string(secrets.label)),
        ])
    }
}
