import Crypto
import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import Primitives
import ServerMessages

/// API keys, which this family calls SMTP credentials.
///
/// Source: RM-6, RM-8; docs/protocols/relate-mail.md, Creating a key, List of keys and Revoking a key.
extension RelateMailRoutes {
    private static let maximumNameLength = 100
    /// The platforms of the Relate Mail server, and `linux`, where this project's own clients run.
    private static let platforms = ["ios", "android", "windows", "macos", "web", "linux"]

    /// `GET /api/smtp-credentials`: returns the person's keys, the newest first, and how mail programs connect.
    func keys(of person: Person) async throws -> ServerResponse {
        let keys = try await services.apiKeys.list(of: person.id)
        let rows = keys.map { key in
            RelateMailKey(
                id: key.id.uuidString.lowercased(), name: key.name, createdAt: RelateMailResponses.text(key.created),
                lastUsedAt: key.lastUsed.map(RelateMailResponses.text),
                expiresAt: key.expires.map(RelateMailResponses.text), scopes: key.scopes)
        }
        return ServerResponse.privateJSON(
            RelateMailKeyList(connectionInfo: connections(of: person, keyCount: rows.count), keys: rows))
    }

    /// `POST /api/smtp-credentials`: creates a key. Without scopes in the request the key gets all scopes that the
    /// caller may grant.
    func makeKey(_ request: ServerRequest, _ caller: RelateMailCaller) async throws -> ServerResponse {
        let body = try request.json(RelateMailKeyRequest.self)
        guard let name = body.name else {
            return RelateMailResponses.invalid(["name": ["The name field is required."]], request: request.id)
        }
        let isBlank = name.displayName(limit: Self.maximumNameLength) == nil
        guard !isBlank else { return RelateMailResponses.sentence(.badRequest, "Name is required") }
        // Counted in UTF-16 code units, as the Relate Mail server does.
        guard name.utf16.count <= Self.maximumNameLength else {
            return RelateMailResponses.sentence(.badRequest, "Name must be 100 characters or less")
        }
        let scopes = body.scopes ?? []
        if let unknown = scopes.first(where: { APIKeyScope(written: $0) == nil }) {
            let shown = unknown.displayName(limit: 40) ?? ""
            return RelateMailResponses.sentence(
                .badRequest,
                "Invalid scope: \(shown). Valid scopes are: \(APIKeyScopes.all.words.joined(separator: ", "))")
        }
        return try await makeKey(
            named: name, scopes: scopes.isEmpty ? caller.givableScopes.words : scopes, expiring: body.expiresAt,
            for: caller, in: request)
    }

    /// `POST /api/smtp-credentials/mobile`: creates a key for an app.
    func makeMobileKey(_ request: ServerRequest, _ caller: RelateMailCaller) async throws -> ServerResponse {
        let body = try request.json(RelateMailMobileKeyRequest.self)
        guard let device = body.deviceName.flatMap({ $0.displayName(limit: 100) }) else {
            return RelateMailResponses.sentence(.badRequest, "DeviceName is required")
        }
        guard let platform = body.platform.flatMap({ $0.displayName(limit: 40) }) else {
            return RelateMailResponses.sentence(.badRequest, "Platform is required")
        }
        guard Self.platforms.contains(platform.lowercased()) else {
            return RelateMailResponses.sentence(
                .badRequest,
                "Invalid platform: \(platform). Valid platforms are: \(Self.platforms.joined(separator: ", "))")
        }
        let name = "Mobile App - \(device) (\(platform))"
        return try await makeKey(
            named: String(name.prefix(Self.maximumNameLength)), scopes: [APIKeyScope.app.rawValue],
            expiring: body.expiresAt, for: caller, in: request)
    }

    /// Creates a key for a caller with a recent sign-in, or for a caller with another key. In the second case the new
    /// key has no further scopes and expires no later, so that a key can be rotated without gaining access.
    private func makeKey(
        named name: String, scopes: [String], expiring text: String?, for caller: RelateMailCaller,
        in request: ServerRequest
    ) async throws -> ServerResponse {
        switch caller.proof {
        case .key: break
        case .session(let session): try services.requireRecentSignIn(for: .makeKey, session)
        case .token(_, let authenticated):
            try SensitiveAction.makeKey.requireRecent(authenticated, at: services.now())
        }
        let now = services.now()
        let asked = text.map { Timestamp.date($0) }
        if let asked, asked.map({ $0 <= now }) ?? true {
            return RelateMailResponses.sentence(
                .badRequest,
                "expiresAt must be in the future, such as \(RelateMailResponses.text(now + .seconds(86_400)))")
        }
        let bounds = [asked ?? nil, settings.keyLifetime.map { now + $0 }, caller.key?.expires]
        let expires = bounds.compactMap(\.self).min()
        guard caller.givableScopes.isSuperset(of: APIKeyScopes(scopes)) else {
            return RelateMailResponses.sentence(
                .forbidden, "A key can only create keys with its own scopes; sign in to create one with more")
        }
        let shown = name.displayName(limit: Self.maximumNameLength) ?? name
        let made: CreatedAPIKey
        do {
            made = try await services.apiKeys.create(
                for: caller.person, name: shown, scopes: scopes, expires: expires, maximum: settings.maximumKeys,
                asking: caller.key?.id, recording: event(.apiKeyMade, in: request, by: caller))
        } catch let error as GatewayError where error.code == .tooManyKeys {
            return RelateMailResponses.sentence(.badRequest, error.message)
        }
        services.metrics.apiKey(.made)
        return ServerResponse.privateJSON(
            RelateMailCreatedKey(
                id: made.listed.id.uuidString.lowercased(), name: shown, apiKey: made.key.reveal(), scopes: scopes,
                createdAt: RelateMailResponses.text(made.listed.created),
                expiresAt: made.listed.expires.map(RelateMailResponses.text)))
    }

    /// `DELETE /api/smtp-credentials/{id}`: revokes one of the person's keys, which may be the key of the request.
    func revokeKey(
        _ id: String, in request: ServerRequest, for caller: RelateMailCaller
    ) async throws -> ServerResponse {
        guard let id = UUID(uuidString: id),
            try await services.apiKeys.revoke(
                id, of: caller.person.id, isRotation: caller.key != nil,
                recording: event(.apiKeyRevoked, in: request, by: caller))
        else { return RelateMailResponses.notFound(request.id) }
        services.metrics.apiKey(.revoked)
        return .noContent
    }

    private func event(
        _ kind: AuditEvent.Kind, in request: ServerRequest, by caller: RelateMailCaller
    ) -> AuditEvent {
        var event = AuditEvent(
            kind, address: services.proxies.client(of: request).description, request: request.id)
        switch caller.proof {
        case .key: event.reason = "by-key"
        case .session(let session):
            event.reason = "by-session"
            event.session = session.id
        case .token(let provider, _):
            event.reason = "by-token"
            event.provider = provider
        }
        return event
    }
}
