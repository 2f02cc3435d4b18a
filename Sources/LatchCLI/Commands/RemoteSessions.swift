import Arguments
import HTTPMessages
import LatchKit
import Primitives
import Terminal

/// `latch sessions`: lists and ends the person's sessions on the server.
struct RemoteSessions: ExecutableCommand {
    /// The operation.
    enum Action: Sendable {
        case list
        case revoke(String)
        case revokeOthers
    }

    static let command = Command<Request>(
        "sessions", "List and end your sessions on the server, on this and other devices.", commands: [list, revoke])

    private static let list = Command<Request>(
        "list", "List your sessions; a star marks this one.", arguments: [AccountOption.option]
    ) { given in
        Request(given, RemoteSessions(selector: given[AccountOption.option], action: .list))
    }

    private static let id = OptionalArgument<String>("ID", help: "The session's id in the list, or its beginning.")
    private static let others = Flag("others", help: "End all sessions except this one.")

    private static let revoke = Command<Request>(
        "revoke", "End sessions: their devices are signed out.",
        discussion: "To end this session itself, use 'latch logout', which also removes the account.",
        arguments: [id, others, AccountOption.option]
    ) { given throws(ArgumentError) in
        let action: Action
        switch (given[id], given[others]) {
        case (let id?, false): action = .revoke(id)
        case (nil, true): action = .revokeOthers
        default: throw given.usageError("give either ID or --others")
        }
        return Request(given, RemoteSessions(selector: given[AccountOption.option], action: action))
    }

    let selector: String?
    let action: Action

    func perform(in context: CommandContext) async throws -> ExitCode {
        let (account, _) = try await context.session(selector)
        let kit = try await context.client()
        let sessions = try await kit.remoteSessions(of: account)
        if case .list = action {
            try context.console.result(
                Self.lines(sessions, context.console.output),
                json: ["account": AccountText.json(account), "sessions": .array(sessions.map(Self.json))])
            return .done
        }
        let leaving = try chosen(of: sessions)
        for session in leaving {
            try Task.checkCancellation()
            try await kit.endRemoteSession(session.id, of: account)
            try context.console.printLines(["Ended \(Self.name(session)), \(session.id.printable)."])
        }
        if leaving.isEmpty, !context.console.isJSON { context.console.printMessage("There is no other session.") }
        try context.console.result(
            [], json: ["account": AccountText.json(account), "ended": .array(leaving.map { .string($0.id) })])
        return .done
    }

    private func chosen(of sessions: [RemoteSession]) throws(LatchError) -> [RemoteSession] {
        guard case .revoke(let id) = action else { return sessions.filter { !$0.isCurrent } }
        let exact = sessions.filter { $0.id == id }
        let fitting = exact.isEmpty && id.utf8.count >= 4 ? sessions.filter { $0.id.hasPrefix(id) } : exact
        guard let session = fitting.first, fitting.count == 1 else {
            throw LatchError(
                .sessionUnknown,
                fitting.isEmpty
                    ? "There is no session '\(id.printable)'. List them: latch sessions list"
                    : "'\(id.printable)' matches several sessions. Give more of the id.")
        }
        guard !session.isCurrent else {
            throw LatchError(
                .invalidInput, "This is the current session. To end it and remove the account: latch logout")
        }
        return [session]
    }

    private static func name(_ session: RemoteSession) -> String {
        let parts = [session.device, session.system].filter { !$0.isEmpty }
        return parts.isEmpty ? "a session" : parts.joined(separator: " on ").printable
    }

    private static func lines(_ sessions: [RemoteSession], _ style: Style) -> [String] {
        guard !sessions.isEmpty else { return [] }
        var table = Table(["  DEVICE", "SYSTEM", "SINCE", "LAST USED", "ID"])
        for session in sessions {
            table.add([
                "\(session.isCurrent ? "*" : " ") \(session.device.printable)", session.system.printable,
                session.created?.forPeople ?? "", session.lastUsed?.forPeople ?? "", session.id.printable,
            ])
        }
        return table.lines(heading: style.strong)
    }

    private static func json(_ session: RemoteSession) -> JSONValue {
        .object([
            .init("id", .string(session.id)), .init("device", .string(session.device)),
            .init("system", .string(session.system)),
            .init("createdAt", session.created.map { .string($0.forPrograms) } ?? .null),
            .init("lastUsedAt", session.lastUsed.map { .string($0.forPrograms) } ?? .null),
            .init("isCurrent", .bool(session.isCurrent)),
        ])
    }
}
