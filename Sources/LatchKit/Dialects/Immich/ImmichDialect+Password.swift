import Crypto
import HTTPClient
import HTTPMessages
import ServerMessages

extension ImmichDialect: PasswordChangeDialect {
    /// The minimum length of a new password, in characters.
    ///
    /// Source: docs/protocols/immich.md, Passwords.
    static let minimumPasswordLength = 8

    /// Changes the password.
    ///
    /// A voluntary change is `POST /auth/change-password`. From 2.2 on the server then ends the person's other
    /// sessions. A change that the server forces is an update of the person, because only that ends the requirement:
    /// `PUT /users/me`, or `PATCH` on servers without `PUT`. A server without these routes receives `PUT
    /// /auth/change-password`, which no release of Immich has.
    ///
    /// Source: IM-12; docs/protocols/immich.md, Passwords.
    package func changePassword(_ change: PasswordChange, with client: AuthorizedClient) async throws {
        let new = change.new.reveal()
        let message = ImmichUserUpdate(password: new)
        var ways = [request(.put, "/users/me", body: message), request(.patch, "/users/me", body: message)]
        if !change.isForced {
            let message = ImmichPasswordChange(
                password: change.current?.reveal() ?? "", newPassword: new, invalidateSessions: true)
            ways = [request(.post, "/auth/change-password", body: message)]
        }
        var response = try await client.send(ways[0])
        for way in ways.dropFirst() + [request(.put, "/auth/change-password", body: message)]
        where response.isUnknownRoute {
            response = try await client.send(way)
        }
        try check(response, for: change.new, with: client)
    }

    private func check(
        _ response: ClientResponse, for new: Secret, with client: AuthorizedClient
    ) throws(LatchError) {
        if response.status.isSuccess { return }
        if ImmichError(body: response.body)?.message == "Wrong password" {
            throw LatchError(
                .wrongCredentials, "\(client.server) says that this is not your current password. Nothing was changed.")
        }
        if response.status == .badRequest, let error = ImmichError(body: response.body), Self.isAboutPassword(error) {
            // The server's own message comes from its request validator and is not written for people.
            let problem = PasswordRule(minimumLength: Self.minimumPasswordLength).problem(of: new)
            throw LatchError(
                .weakPassword,
                "\(client.server) does not accept the new password: "
                    + (problem ?? SanitizedText.clean(errorMessage(in: response) ?? "")))
        }
        throw client.refused(response)
    }

    /// Returns whether an error concerns the new password: a validation error of either generation, or a gateway's own
    /// rules.
    private static func isAboutPassword(_ error: ImmichError) -> Bool {
        if let issues = error.errors, !issues.isEmpty { return issues.contains { $0.path.contains { $0.isPassword } } }
        return error.message.lowercased().contains("password")
    }
}

extension String {
    /// Whether the text is the name of the member with the new password.
    fileprivate var isPassword: Bool { self == "newPassword" || self == "password" }
}

extension ImmichDialect: SessionListDialect {
    /// Returns the person's sessions, from `GET /sessions`.
    ///
    /// Source: docs/protocols/immich.md, Sessions.
    package func sessions(with client: AuthorizedClient) async throws -> [RemoteSession] {
        let response = try await client.send(request(.get, "/sessions"))
        guard response.status.isSuccess else { throw client.refused(response) }
        guard let sessions = try? JSON.decode([ImmichSession].self, from: response.body) else {
            throw LatchError(
                .interceptedResponse, "The response of \(client.server) is not a list of sessions. Try again later.")
        }
        return sessions.map { session in
            RemoteSession(
                id: session.id, device: session.deviceType, system: session.deviceOS,
                created: ImmichDate.read(session.createdAt), lastUsed: ImmichDate.read(session.updatedAt),
                isCurrent: session.current)
        }
    }

    /// Ends a session with `DELETE /sessions/{id}`.
    package func endSession(_ id: String, with client: AuthorizedClient) async throws {
        let response = try await client.send(request(.delete, "/sessions/" + PercentEncoding.encode(id)))
        if response.status == .badRequest || response.status == .notFound {
            throw LatchError(
                .serverRefused,
                "You have no such session at \(client.server), or it has ended. List the sessions again.")
        }
        guard response.status.isSuccess else { throw client.refused(response) }
    }
}
