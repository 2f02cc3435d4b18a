import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer

/// The clients of the authorization server on the administrator's pages.
extension PageRoutes {
    /// `GET /admin/clients?q=…&after=…&id=…`: lists all clients, or the results of a search.
    func clientsPage(_ visit: SignedInRequest) async throws -> ServerResponse {
        guard visit.person.isAdministrator else { return administratorsOnly }
        let search = searchText(visit)
        let after = ClientStore.Position(
            name: visit.request.query("after") ?? "", id: visit.request.query("id") ?? "")
        let found = try await services.clients.page(search: search, after: after, limit: Self.rowCount + 1)
        let clients = Array(found.prefix(Self.rowCount))
        let use = try await services.clients.use(of: clients)
        let rows = clients.map { ($0, use[$0.id] ?? ClientUse()) }
        let next = [("q", search), ("after", clients.last?.name ?? ""), ("id", clients.last?.id ?? "")]
        return administrationPage(
            "Clients",
            """
            \(searchForm(PagePath.clients, "Search by name or id", search))
            \(clients.isEmpty
                ? "<p>No clients found.</p>" : pages.clients(rows, search: search, token: hidden(visit)))
            \(pageLinks(
                PagePath.clients, next, isFirst: after.name.isEmpty && after.id.isEmpty,
                hasMore: found.count > clients.count))
            """, for: visit, at: PagePath.clients)
    }

    /// `POST /admin/clients/{id}`: ends all access of a client, or removes it.
    func endClient(_ visit: SignedInRequest, _ id: String) async throws -> ServerResponse {
        guard visit.person.isAdministrator else { return administratorsOnly }
        guard isRecent(visit, for: .administer) else { return confirmFirst(PagePath.clients) }
        guard let client = try await services.clients.client(id) else { return notFound }
        let isRemoved = visit.fields["action"] == "remove"
        guard isRemoved || visit.fields["action"] == "end" else { return unknownAction }
        guard !isRemoved || client.created != nil else {
            return plain(
                .forbidden, title: "The client is part of the configuration",
                sentence: "Remove 'oauth.clients.\(client.id)' there, and restart the server. Nothing was changed.")
        }
        if let page = confirmationPage(Self.question(about: client, isRemoved: isRemoved), visit) { return page }
        do {
            if isRemoved {
                try await services.clients.remove(client.id)
            } else {
                try await services.clients.endAccess(of: client.id)
            }
        } catch let error as GatewayError where error.code == .unknownClient {
            // A client that was removed in the meantime is not an error.
            return seeOther(PagePath.clients + "?done=removed")
        }
        services.audit.record(
            AuditEvent(
                isRemoved ? .clientRemoved : .clientWithdrawn, reason: isRemoved ? nil : "everybody",
                actor: visit.person.id, client: client.id))
        return seeOther("\(PagePath.clients)?done=\(isRemoved ? "removed" : "access")")
    }

    private static func question(about client: RegisteredClient, isRemoved: Bool) -> ConfirmationPage {
        let effect = "Everybody is signed out of the client immediately, and what people allowed it is forgotten."
        return ConfirmationPage(
            title: isRemoved ? "Remove \(client.name)?" : "End all access of \(client.name)?",
            sentence: isRemoved
                ? effect + " Nobody can sign in to it any more, and this cannot be undone."
                : effect + " People can sign in to it again.",
            button: isRemoved ? "Remove the client" : "End all access", page: PagePath.clients,
            fields: [("action", isRemoved ? "remove" : "end")])
    }
}
