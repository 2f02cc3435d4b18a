import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import LatchGateway
import Primitives
import Terminal

/// `latchd sessions list`: prints the sessions.
struct ListSessions: ExecutableCommand {
    let configurationPath: String?
    let email: String?
    let isListingEnded: Bool
    let isJSON: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let now = Date()
        let sessions = try await administration.withStores { stores in
            let person = if let email { try await stores.people.require(email).id } else { nil as UUID? }
            return try await stores.sessions.list().filter { session in
                (person == nil || session.person == person) && (isListingEnded || session.state(at: now) == .live)
            }
        }
        if isJSON {
            try Output.json(.array(sessions.map { json($0, now) }))
        } else if sessions.isEmpty {
            try Output.lines([isListingEnded ? "No sessions." : "No live sessions."])
        } else {
            try Output.lines(table(sessions, now).lines { $0 })
        }
        return .done
    }

    private func table(_ sessions: [SessionSummary], _ now: Date) -> Table {
        var table = Table(["ID", "E-MAIL", "DEVICE", "FROM", "SIGNED IN", "LAST USED", "EXPIRES", "STATE"])
        for session in sessions {
            table.add([
                session.id.rawValue, (session.email ?? "(removed)").printable, device(session).printable,
                (session.device.address ?? "unknown").printable,
                session.created.forPeople, session.lastUsed.forPeople, session.expires.forPeople,
                session.endReason?.rawValue ?? session.state(at: now).rawValue,
            ])
        }
        return table
    }

    private func device(_ session: SessionSummary) -> String {
        switch (session.device.name, session.device.kind) {
        case (let name?, let kind?): "\(name) (\(kind))"
        case (let word?, nil), (nil, let word?): word
        case (nil, nil): "unknown"
        }
    }

    private func json(_ session: SessionSummary, _ now: Date) -> JSONValue {
        [
            "id": .string(session.id.rawValue), "personId": .string(session.person.uuidString.lowercased()),
            "email": text(session.email), "deviceName": text(session.device.name),
            "deviceKind": text(session.device.kind), "deviceAddress": text(session.device.address),
            "createdAt": .string(session.created.forPrograms),
            "lastUsedAt": .string(session.lastUsed.forPrograms), "expiresAt": .string(session.expires.forPrograms),
            "endedAt": text(session.ended?.forPrograms), "endReason": text(session.endReason?.rawValue),
            "state": .string(session.state(at: now).rawValue),
        ]
    }

    private func text(_ value: String?) -> JSONValue {
        value.map(JSONValue.string) ?? .null
    }
}

/// `latchd sessions revoke`: ends one session, or all of a person or of all people.
struct RevokeSessions: ExecutableCommand {
    enum Which: Sendable {
        case one(String)
        case person(String)
        case everyone
    }

    let configurationPath: String?
    let which: Which
    /// Whether the person confirmed on the command line that the sessions of all people are to end.
    let isConfirmed: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        guard try await isWanted() else {
            try Output.lines(["Nothing was changed."])
            return .done
        }
        let administration = Administration(configurationPath: configurationPath, environment: environment)
        let revoked = try await administration.withStores { stores in
            switch which {
            case .one(let id):
                return try await stores.sessions.revoke(SessionID(rawValue: id))
            case .person(let email):
                return try await stores.sessions.revokeAll(of: stores.people.require(email).id)
            case .everyone:
                var all = RevokedAccess()
                for person in try await stores.people.list() {
                    let revoked = try await stores.sessions.revokeAll(of: person.id)
                    all.sessions += revoked.sessions
                    all.keys += revoked.keys
                }
                return all
            }
        }
        let sessions = revoked.sessions == 1 ? "1 session" : "\(revoked.sessions) sessions"
        let keys = revoked.keys == 1 ? "1 API key" : "\(revoked.keys) API keys"
        try Output.lines(["Revoked \(sessions)\(revoked.keys == 0 ? "" : " and \(keys)")."])
        return .done
    }

    private func isWanted() async throws -> Bool {
        guard case .everyone = which, !isConfirmed else { return true }
        // A script that gives --all is not asked.
        guard let terminal = Terminal() else { return true }
        return try await terminal.confirm("End all sessions and revoke all keys of all people?")
    }
}
