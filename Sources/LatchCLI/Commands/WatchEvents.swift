import Arguments
import FoundationEssentials
import HTTPMessages
import LatchKit
import Primitives

/// `latch watch`: prints the events of a server.
struct WatchEvents: ExecutableCommand {
    static let command = Command<Request>(
        "watch", "Show what happens on the server, until Ctrl-C.",
        discussion: """
            Each event is one line: pictures that were added, changed or deleted, sessions that were ended, a new \
            version of the server. With --json each line is a separate JSON value. Events of a time without a \
            connection are not repeated. It reconnects after a failure, with pauses of 1 second to 5 minutes; \
            'disconnected' and 'connected' say when events may be missing. If the server ends this session, \
            the command ends with exit code \(ExitCode.signIn.rawValue).

            Servers of the family Immich send events.
            """,
        arguments: [AccountOption.option]
    ) { given in
        Request(given, WatchEvents(selector: given[AccountOption.option]))
    }

    let selector: String?

    func perform(in context: CommandContext) async throws -> ExitCode {
        let (account, session) = try await context.session(selector)
        let latch = try await context.client()
        let renewal = Task { try? await latch.renewSessions() }
        defer { renewal.cancel() }
        for try await update in try session.events() {
            let json = JSONValue.object([.init("account", .string(account.id.uuidString))] + Self.members(update))
            if context.console.isJSON {
                try context.console.raw(json.encoded() + [UInt8(ascii: "\n")])
            } else {
                try context.console.printLines([Self.line(update)])
            }
        }
        // The sequence ends without an error when the task is cancelled.
        try Task.checkCancellation()
        return .done
    }

    private static func line(_ update: RealTimeUpdate) -> String {
        switch update {
        case .connected: "connected"
        case .disconnected(let reason): "disconnected: \(reason.printable)"
        case .event(let event): line(event).printable
        }
    }

    private static func line(_ event: RealTimeEvent) -> String {
        switch event {
        case .sessionDeleted(let id): "session ended: \(id)"
        case .assetAdded(let id): "added: \(id)"
        case .assetChanged(let id): "changed: \(id)"
        case .assetsDeleted(let ids): "deleted: \(ids.joined(separator: " "))"
        case .assetsTrashed(let ids): "moved to the trash: \(ids.joined(separator: " "))"
        case .assetsRestored(let ids): "restored: \(ids.joined(separator: " "))"
        case .assetsHidden(let ids): "hidden: \(ids.joined(separator: " "))"
        case .stacksChanged: "stacks changed"
        case .serverVersion(let version): "server version: \(version)"
        case .newRelease(let version, let isAvailable):
            "\(isAvailable ? "new" : "latest") release: \(version)"
        case .configUpdated: "settings of the server changed"
        case .other(let name, let arguments): "\(name) \(arguments)"
        }
    }

    private static func members(_ update: RealTimeUpdate) -> [JSONValue.Member] {
        switch update {
        case .connected: [.init("event", "connected")]
        case .disconnected(let reason): [.init("event", "disconnected"), .init("reason", .string(reason))]
        case .event(let event): members(event)
        }
    }

    private static func members(_ event: RealTimeEvent) -> [JSONValue.Member] {
        func ids(_ name: JSONValue, _ ids: [String]) -> [JSONValue.Member] {
            [.init("event", name), .init("ids", .array(ids.map { .string($0) }))]
        }
        return switch event {
        case .sessionDeleted(let id): [.init("event", "sessionDeleted"), .init("id", .string(id))]
        case .assetAdded(let id): ids("assetsAdded", [id])
        case .assetChanged(let id): ids("assetsChanged", [id])
        case .assetsDeleted(let all): ids("assetsDeleted", all)
        case .assetsTrashed(let all): ids("assetsTrashed", all)
        case .assetsRestored(let all): ids("assetsRestored", all)
        case .assetsHidden(let all): ids("assetsHidden", all)
        case .stacksChanged: [.init("event", "stacksChanged")]
        case .serverVersion(let version): [.init("event", "serverVersion"), .init("version", .string(version))]
        case .newRelease(let version, let isAvailable):
            [
                .init("event", "newRelease"), .init("version", .string(version)),
                .init("isAvailable", .bool(isAvailable)),
            ]
        case .configUpdated: [.init("event", "configUpdated")]
        case .other(let name, let arguments):
            [
                .init("event", "other"), .init("name", .string(name)),
                .init("arguments", (try? JSONValue(parsing: Array(arguments.utf8))) ?? .null),
            ]
        }
    }
}
