import FoundationEssentials
import GatewayConfiguration
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
            \(services.settings.authorizationServer.registration.isEnabled ? pages.unverifiedForm(hidden(visit)) : nil)
            """, for: visit, at: PagePath.clients)
    }

    /// What an administrator does with a client on its page.
    private enum ClientAction: String {
        /// Ends all access of the client.
        case end
        case remove, approve, refuse

        /// The `done` of the page afterwards.
        var note: String {
            switch self {
            case .end: "access"
            case .remove: "removed"
            case .approve: "approved"
            case .refuse: "refused"
            }
        }
    }

    /// `POST /admin/clients/{id}`: ends all access of a client, removes it, or decides about one that registered itself.
    func changeClient(_ visit: SignedInRequest, _ id: String) async throws -> ServerResponse {
        guard visit.person.isAdministrator else { return administratorsOnly }
        guard isRecent(visit, for: .administer) else { return confirmFirst(PagePath.clients) }
        guard let client = try await services.clients.client(id) else { return notFound }
        guard let action = visit.fields["action"].flatMap(ClientAction.init(rawValue:)) else { return unknownAction }
        let isDecision = action == .approve || action == .refuse
        guard !isDecision || client.registration != nil else { return unknownAction }
        guard action != .remove || client.created != nil else {
            return plain(
                .forbidden, title: "The client is part of the configuration",
                sentence: "Remove 'oauth.clients.\(client.id)' there, and restart the server. Nothing was changed.")
        }
        if let page = confirmationPage(Self.question(about: client, action), visit) { return page }
        do {
            switch action {
            case .end: try await services.clients.endAccess(of: client.id)
            case .remove: try await services.clients.remove(client.id)
            case .approve: _ = try await services.clients.decide(client.id, .approved)
            case .refuse: _ = try await services.clients.decide(client.id, .refused)
            }
        } catch let error as GatewayError where error.code == .unknownClient {
            // A client that was removed in the meantime is not an error.
            return seeOther(PagePath.clients + "?done=removed")
        }
        let kind: AuditEvent.Kind =
            switch action {
            case .end: .clientWithdrawn
            case .remove: .clientRemoved
            case .approve: .clientApproved
            case .refuse: .clientRefused
            }
        services.audit.record(
            AuditEvent(kind, reason: action == .end ? "everybody" : nil, actor: visit.person.id, client: client.id))
        return seeOther("\(PagePath.clients)?done=\(action.note)")
    }

    /// `POST /admin/clients`: removes all clients that registered themselves.
    func removeUnverified(_ visit: SignedInRequest) async throws -> ServerResponse {
        guard visit.person.isAdministrator else { return administratorsOnly }
        guard isRecent(visit, for: .administer) else { return confirmFirst(PagePath.clients) }
        guard visit.fields["action"] == "remove-unverified" else { return unknownAction }
        let question = ConfirmationPage(
            title: "Remove all unverified clients?",
            sentence: "Everybody is signed out of every client that registered itself, and what people allowed them is "
                + "forgotten. Clients register themselves again when people sign in to them.",
            button: "Remove all unverified clients", page: PagePath.clients, fields: [("action", "remove-unverified")])
        if let page = confirmationPage(question, visit) { return page }
        try await services.clients.removeRegistered { client in
            services.audit.record(
                AuditEvent(.clientRemoved, reason: "unverified", actor: visit.person.id, client: client))
        }
        return seeOther("\(PagePath.clients)?done=unverified")
    }

    private static func question(about client: RegisteredClient, _ action: ClientAction) -> ConfirmationPage {
        let effect = "Everybody is signed out of the client immediately, and what people allowed it is forgotten."
        let (title, sentence, button): (String, String, String) =
            switch action {
            case .remove:
                (
                    "Remove \(client.name)?",
                    effect + " Nobody can sign in to it any more, and this cannot be undone.", "Remove the client"
                )
            case .end:
                (
                    "End all access of \(client.name)?", effect + " People can sign in to it again.", "End all access"
                )
            case .approve:
                (
                    "Approve \(client.name)?",
                    "People can then sign in to it. "
                        + (client.redirects.isEmpty
                            ? "It only signs devices in."
                            : "Afterwards their browsers go to \(client.redirects.joined(separator: ", "))."),
                    "Approve the client"
                )
            case .refuse: ("Refuse \(client.name)?", effect + " Nobody can sign in to it.", "Refuse the client")
            }
        return ConfirmationPage(
            title: title, sentence: sentence, button: button, page: PagePath.clients,
            fields: [("action", action.rawValue)])
    }
}
