import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer

/// The clients of the authorization server on the account page.
extension PageRoutes {
    /// How long the account page warns about a session whose tokens somebody else used.
    static let warningTime = Duration.seconds(30 * 86_400)

    /// Adds the clients with access to the account page.
    func addApps(to page: inout AccountPage, of person: UUID) async throws {
        let clients = services.clients
        var apps: [AccountPage.App] = []
        for consent in try await clients.allowed(by: person) {
            // A client can be missing from the configuration that was there before.
            let client = try await clients.client(consent.grant.client)
            apps.append(AccountPage.App(client, consent))
        }
        page.apps = apps
    }

    /// `POST /account/apps/{id}/remove`: withdraws what the visitor allowed a client, and ends its sessions.
    func removeApp(_ visit: SignedInRequest, _ id: String) async throws -> ServerResponse {
        try await confirmingFirst(PagePath.account) {
            // Access that has ended in the meantime is not an error.
            if try await services.clients.withdraw(id, asking: visit.session) {
                services.audit.record(
                    AuditEvent(
                        .clientWithdrawn, person: visit.person.id, session: visit.session.id,
                        address: client(of: visit.request).address.description, request: visit.request.id, client: id))
            }
            return seeOther(PagePath.account + "?done=app")
        }
    }
}
