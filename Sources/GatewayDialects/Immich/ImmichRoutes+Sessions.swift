import Crypto
import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import ServerMessages

extension ImmichRoutes {
    /// Adds the routes of a person's own sessions, of all dialects.
    ///
    /// Source: docs/protocols/immich.md, Sessions.
    func addSessions(to router: inout Router) {
        routing.on(.get, "/sessions", to: &router) { request in
            let caller = try await access.caller(of: request)
            let sessions = try await services.sessions.ownSessions(of: caller.person.id)
            return ServerResponse.privateJSON(sessions.map { Self.message($0, caller) })
        }
        routing.on(.post, "/sessions", to: &router) { try await begin($0) }
        routing.on(.delete, "/sessions", to: &router) { request in
            let caller = try await access.person(of: request, for: "session.delete", change: .endsAccess)
            try services.requireRecentSignIn(for: .endOtherSessions, caller.session)
            try await services.sessions.endOthers(than: caller.session.id, of: caller.person.id)
            return .noContent
        }
        routing.on(.put, id: "/sessions/{id}", to: &router) { try await update($0, $1) }
        routing.on(.delete, id: "/sessions/{id}", to: &router) { request, id in
            let caller = try await access.person(of: request, for: "session.delete", change: .endsAccess)
            let session = try await session(id, of: caller, "authDevice.delete")
            guard try await services.sessions.end(session, asking: caller.session) > 0 else {
                throw Self.noAccess("authDevice.delete")
            }
            return .noContent
        }
        routing.on(.post, id: "/sessions/{id}/lock", to: &router) { request, id in
            let caller = try await access.person(of: request, for: "session.lock", change: .endsAccess)
            let session = try await session(id, of: caller, "session.lock")
            try services.sessions.requireMayEnd(session, asking: caller.session)
            try await elevations.end(session.id)
            return .noContent
        }
    }

    /// `POST /sessions`: creates a further session that ends with the session of the request, for a device that
    /// displays pictures.
    private func begin(_ request: ServerRequest) async throws -> ServerResponse {
        let caller = try await access.session(of: request)
        var body = ImmichBody(request)
        let seconds = body.optionalNumber("duration", atLeast: 1)
        let device = SessionDevice(name: body.optionalText("deviceType"), kind: body.optionalText("deviceOS"))
        try body.check()
        let own = try await services.sessions.ownSession(caller.session.id, of: caller.person.id)
        guard own?.parent == nil else {
            throw ImmichRefusal(.badRequest, "A session that was created by another session cannot create sessions.")
        }
        let credential: SessionCredential
        do {
            credential = try await services.issuer.issue(
                for: caller.person, device: device, token: .opaque, authenticated: nil, asking: caller.session.id)
            // Checks the session itself, and ends the new one if it has ended.
            RequestActor.forget()
            try await services.sessions.adopt(
                credential.session, by: caller.session.id, lifetime: seconds.map { .seconds(min($0, 1 << 32)) })
        } catch let error as GatewayError where [.unknownPerson, .unknownSession].contains(error.code) {
            throw ImmichRefusal(.unauthorized, "Invalid user token")
        }
        let client = client(of: request)
        services.audit.record(
            AuditEvent(
                .signIn, reason: "from-session", person: caller.person.id, session: credential.session,
                address: client.address.description, request: request.id, device: device))
        let made = try await services.sessions.ownSession(credential.session, of: caller.person.id)
        guard let made else { throw ImmichRefusal(.unauthorized, "Invalid user token") }
        var message = Self.message(made, caller)
        message.token = credential.token.reveal()
        return ServerResponse.privateJSON(message, status: .created)
    }

    /// `PUT /sessions/{id}`: sets whether the app must download everything again.
    private func update(_ request: ServerRequest, _ id: UUID) async throws -> ServerResponse {
        let caller = try await access.person(of: request, for: "session.update")
        var body = ImmichBody(request)
        let isPending = body.optionalBool("isPendingSyncReset")
        try body.check()
        let found = try await session(id, of: caller, "authDevice.update")
        if let isPending { try await services.sessions.record(needsFullSync: isPending, of: found.id) }
        return ServerResponse.privateJSON(Self.message(try await session(id, of: caller, "authDevice.update"), caller))
    }

    /// Returns a live session of the caller, by the id that clients know.
    private func session(_ id: UUID, of caller: ImmichCaller, _ permission: String) async throws -> OwnSession {
        guard let session = try await services.sessions.ownSession(uuid: id, of: caller.person.id) else {
            throw Self.noAccess(permission)
        }
        return session
    }

    private static func noAccess(_ permission: String) -> ImmichRefusal {
        ImmichRefusal(.badRequest, "Not found or no \(permission) access")
    }

    private static func message(_ session: OwnSession, _ caller: ImmichCaller) -> ImmichSession {
        var message = ImmichSession(
            id: session.id.uuid.uuidString.lowercased(), createdAt: Timestamp.text(session.created, fraction: true),
            updatedAt: Timestamp.text(session.lastUsed, fraction: true), current: session.id == caller.session.id,
            deviceType: session.device.name ?? "", deviceOS: session.device.kind ?? "")
        message.expiresAt = Timestamp.text(session.expires, fraction: true)
        message.appVersion = session.appVersion
        message.isPendingSyncReset = session.needsFullSync
        return message
    }
}
