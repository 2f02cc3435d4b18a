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
        var question = Self.question(about: client, action)
        if let page = confirmationPage(question, visit) { return page }
        do {
            switch action {
            case .end: try await services.clients.endAccess(of: client.id)
            case .remove: try await services.clients.remove(client.id)
            case .approve:
                // What was shown, not what the client has made of itself since.
                _ = try await services.clients.decide(
                    client.id, .approved, ifStill: visit.fields[Self.digestField] ?? "")
            case .refuse: _ = try await services.clients.decide(client.id, .refused)
            }
        } catch let error as GatewayError where error.code == .unknownClient {
            // A client that was removed in the meantime is not an error.
            return seeOther(PagePath.clients + "?done=removed")
        } catch let error as GatewayError where error.code == .clientChanged {
            guard let now = try await services.clients.client(id) else { return notFound }
            question = Self.question(about: now, action)
            question.error = "The client has changed since it was shown, so it was not approved. Check it again."
            return response(asking: question, visit, status: .unprocessableContent)
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

    /// `POST /admin/clients`: removes all clients that registered themselves and that no administrator has approved.
    func removeUnverified(_ visit: SignedInRequest) async throws -> ServerResponse {
        guard isRecent(visit, for: .administer) else { return confirmFirst(PagePath.clients) }
        guard visit.fields["action"] == "remove-unverified" else { return unknownAction }
        let question = ConfirmationPage(
            title: "Remove all unverified clients?",
            sentence: "Everybody is signed out of every client that registered itself and that no administrator has "
                + "approved, and what people allowed them is forgotten. Clients register themselves again when people sign "
                + "in to them.",
            button: "Remove all unverified clients", page: PagePath.clients, fields: [("action", "remove-unverified")])
        if let page = confirmationPage(question, visit) { return page }
        try await services.clients.removeUnverified { client in
            services.audit.record(
                AuditEvent(.clientRemoved, reason: "unverified", actor: visit.person.id, client: client))
        }
        return seeOther("\(PagePath.clients)?done=unverified")
    }

    /// The field with the digest of the client that a page showed.
    private static let digestField = "client_digest"

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
                ("Approve \(client.name)?", "People can then sign in to it, as it is shown here.", "Approve the client")
            case .refuse: ("Refuse \(client.name)?", effect + " Nobody can sign in to it.", "Refuse the client")
            }
        let isApproval = action == .approve
        return ConfirmationPage(
            title: title, sentence: sentence, details: isApproval ? details(of: client) : [], button: button,
            page: PagePath.clients,
            fields: [("action", action.rawValue)] + (isApproval ? [(digestField, client.identityDigest)] : []))
    }

    /// What an administrator approves: everything that ``RegisteredClient/identityDigest`` covers.
    private static func details(of client: RegisteredClient) -> [(name: String, value: HTML)] {
        func lines(_ addresses: [String], none: String) -> HTML {
            addresses.isEmpty ? "\(none)" : "\(addresses.map { "<div>\($0)</div>" as HTML })"
        }
        let authentication =
            client.keys != nil ? "With its keys" : client.secretHash != nil ? "With a secret" : "None: it is public"
        return [
            ("Name", "\(client.name)"), ("Id", "<code>\(client.id)</code>"),
            ("Browsers go to", lines(client.redirects, none: "Nowhere: it only signs devices in")),
            ("After a sign-out", lines(client.signOut.redirects, none: "Nowhere")),
            ("Devices without a browser", client.allowsDevice ? "Yes" : "No"), ("Authentication", "\(authentication)"),
        ]
    }
}
