import Arguments
import HTTPMessages
import LatchKit
import Primitives
import Terminal

/// `latch keys`: lists, replaces and revokes keys at a server.
enum Keys {
    static let command = Command<Request>(
        "keys", "List, replace and revoke your keys on a server.", commands: [list, rotate, revoke])

    private static let list = Command<Request>(
        "list", "List your keys on the server, newest first. The keys themselves are never shown.",
        discussion: "A star marks the key of this account.", arguments: [AccountOption.option]
    ) { given in
        Request(given, ListKeys(selector: given[AccountOption.option]))
    }

    private static let rotate = Command<Request>(
        "rotate", "Replace the account's key with a new one.",
        discussion: """
            The new key has the same scopes as the old one. The old key is revoked after the new one has worked and \
            is stored. If that fails, the next start of latch tries again.
            """,
        arguments: [AccountOption.option]
    ) { given in
        Request(given, RotateKey(selector: given[AccountOption.option]))
    }

    private static let id = Argument<String>("ID", help: "The key's id or its beginning, as shown in the list.")
    private static let yes = Flag("yes", help: "Revoke the account's own key without asking.")

    private static let revoke = Command<Request>(
        "revoke", "Revoke one of your keys: programs that use it are refused from then on.",
        discussion: "Asks before it revokes the account's own key, which signs the account out.",
        arguments: [id, yes, AccountOption.option]
    ) { given in
        Request(given, RevokeKey(id: given[id], isSure: given[yes], selector: given[AccountOption.option]))
    }
}

/// `latch keys list`: prints the keys of the person at a server.
struct ListKeys: ExecutableCommand {
    let selector: String?

    func perform(in context: CommandContext) async throws -> ExitCode {
        let (account, session) = try await context.session(selector)
        let keys = try await session.keys()
        var table = Table(["  ID", "NAME", "SCOPES", "CREATED", "LAST USED"])
        for key in keys {
            table.add([
                "\(key.isCurrent ? "*" : " ") \(key.id.printable)", key.name.printable,
                key.scopes.map(\.printable).joined(separator: " "), key.created?.forPeople ?? "",
                key.lastUsed?.forPeople ?? "never",
            ])
        }
        let lines = keys.isEmpty ? [] : table.lines(heading: context.console.output.strong)
        try context.console.result(lines, json: ["keys": .array(keys.map(Self.json))])
        if keys.isEmpty, !context.console.isJSON {
            context.console.printMessage("You have no keys at \(account.serverURL).")
        }
        return .done
    }

    private static func json(_ key: RemoteKey) -> JSONValue {
        [
            "id": .string(key.id), "name": .string(key.name), "scopes": .array(key.scopes.map { .string($0) }),
            "createdAt": key.created.map { .string($0.forPrograms) } ?? .null,
            "lastUsedAt": key.lastUsed.map { .string($0.forPrograms) } ?? .null, "isCurrent": .bool(key.isCurrent),
        ]
    }
}

/// `latch keys rotate`: replaces the key of the account.
struct RotateKey: ExecutableCommand {
    let selector: String?

    func perform(in context: CommandContext) async throws -> ExitCode {
        let (account, session) = try await context.session(selector)
        let rotation = try await session.rotateKey()
        try context.console.result(
            ["The account of \(account.userEmail) at \(account.serverURL) has a new key: \(rotation.keyID.printable)."],
            json: [
                "keyId": .string(rotation.keyID), "oldKeyId": .string(rotation.oldKeyID),
                "scopes": .array(rotation.scopes.map { .string($0) }), "isOldRevoked": .bool(rotation.failure == nil),
                "problem": rotation.failure.map { Console.json($0) } ?? .null,
            ])
        if let failure = rotation.failure, !context.console.isJSON {
            context.console.warn(
                "The old key could not be revoked yet. The next start of latch tries again. \(failure.message)")
        }
        return .done
    }
}

/// `latch keys revoke`: revokes one of the person's keys.
struct RevokeKey: ExecutableCommand {
    let id: String
    let isSure: Bool
    let selector: String?

    func perform(in context: CommandContext) async throws -> ExitCode {
        let (account, session) = try await context.session(selector)
        let key = try Self.find(id, in: try await session.keys())
        if key.isCurrent, !isSure {
            guard context.prompter.isAvailable else {
                throw LatchError(
                    .noTerminal,
                    "This is the account's own key, and there is no terminal for a confirmation. Give --yes to revoke "
                        + "it and sign out.")
            }
            guard try await context.prompter.confirm("This is the account's own key. Revoke it and sign out?") else {
                context.console.printMessage("Nothing was revoked.")
                try context.console.result([], json: ["revoked": .null, "isSignedOut": false])
                return .failed
            }
        }
        try await session.revokeKey(key.id)
        let end = key.isCurrent ? " You are signed out of \(account.serverURL)." : ""
        try context.console.result(
            ["Revoked the key '\(key.name.printable)'.\(end)"],
            json: ["revoked": .string(key.id), "isSignedOut": .bool(key.isCurrent)])
        return .done
    }

    private static func find(_ wanted: String, in keys: [RemoteKey]) throws(LatchError) -> RemoteKey {
        let word = wanted.lowercased()
        if let key = keys.first(where: { $0.id.lowercased() == word }) { return key }
        let fitting = word.utf8.count < 4 ? [] : keys.filter { $0.id.lowercased().hasPrefix(word) }
        guard fitting.count == 1 else {
            let number = fitting.isEmpty ? "None" : "More than one"
            throw LatchError(
                .keyUnknown,
                "\(number) of your keys has an id that begins with '\(wanted.printable)'. List them: latch keys list")
        }
        return fitting[0]
    }
}
