import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
package import HTTPServer

/// API keys on the account page and on the administration pages.
extension PageRoutes {
    /// Returns the visitor's API keys, or nil when no dialect creates keys and the visitor has none.
    package func keys(of visit: SignedInRequest) async throws -> KeyTable? {
        let keys = try await services.apiKeys.list(of: visit.person.id)
        guard services.settings.enabledDialects.contains(where: \.usesAPIKeys) || !keys.isEmpty else { return nil }
        return KeyTable(keys: keys, now: now, path: prefix + PagePath.account + "/keys", token: hidden(visit))
    }

    /// `POST /account/keys/{id}/revoke`: revokes one of the visitor's keys.
    package func revokeKey(_ visit: SignedInRequest, _ id: String) async throws -> ServerResponse {
        if let page = confirmationPage(question(cancel: PagePath.account), visit) { return page }
        // A key that has expired in the meantime is not an error.
        if let id = UUID(uuidString: id),
            try await services.apiKeys.revoke(id, of: visit.person.id, recording: event(visit))
        {
            services.metrics.apiKey(.revoked)
        }
        return seeOther(PagePath.account + "?done=key")
    }

    /// Returns a person's API keys, for an administrator.
    func keysOfPerson(_ person: UUID, _ visit: SignedInRequest) async throws -> HTML? {
        KeyTable(
            keys: try await services.apiKeys.list(of: person), now: now,
            path: prefix + PagePath.administration + "/keys",
            token: hidden(visit), caption: "Keys of the person's programs, the newest first"
        ).table
    }

    /// `POST /admin/keys/{id}/revoke`: revokes a key of any person.
    func revokeKeyOfPerson(_ visit: SignedInRequest, _ id: String) async throws -> ServerResponse {
        guard isRecent(visit, for: .administer) else { return confirmFirst(PagePath.administration) }
        if let page = confirmationPage(question(cancel: PagePath.administration), visit) { return page }
        guard let id = UUID(uuidString: id), let owner = try await services.apiKeys.owner(of: id) else {
            return seeOther(PagePath.administration + "?done=key")
        }
        if try await services.apiKeys.revoke(id, of: nil, recording: event(visit)) {
            services.metrics.apiKey(.revoked)
        }
        return seeOther("\(PagePath.administration)/people/\(owner.uuidString.lowercased())?done=key")
    }

    private func question(cancel page: String) -> ConfirmationPage {
        ConfirmationPage(
            title: "Revoke this key?", sentence: "The program that uses this key will lose its access.",
            button: "Revoke the key", page: page)
    }

    private func event(_ visit: SignedInRequest) -> AuditEvent {
        AuditEvent(
            .apiKeyRevoked, reason: "on-a-page", actor: visit.person.id, session: visit.session.id,
            address: client(of: visit.request).address.description, request: visit.request.id)
    }
}
