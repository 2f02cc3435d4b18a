import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import OpenIDConnect

extension PageRoutes {
    private static let root = PagePath.administration
    /// The number of rows on a page.
    package static let rowCount = 25

    /// Adds the routes for administrators.
    func addAdministration(to router: inout Router) {
        page(Self.root, to: &router) { try await $0.peoplePage($1) }
        page(Self.root + "/people/{id}", UUID.self, to: &router) { try await $0.personPage($1, $2) }
        page(Self.root + "/sessions", to: &router) { try await $0.sessionsPage($1) }
        page(Self.root + "/providers", to: &router) { try await $0.providersPage($1) }
        page(Self.root + "/failures", to: &router) { try await $0.failuresPage($1) }
        page(Self.root + "/identities/{id}", String.self, to: &router) { try await $0.identityPage($1, $2) }
        form(Self.root + "/identities/{id}", String.self, to: &router) { try await $0.linkIdentity($1, $2) }
        form(Self.root + "/people", on: Self.root, to: &router) { try await $0.invite($1) }
        form(Self.root + "/people/{id}", UUID.self, change: .endsAccess, to: &router) {
            try await $0.changePerson($1, $2)
        }
        let sessions = Self.root + "/sessions"
        form(sessions + "/{id}/end", String.self, on: sessions, change: .endsAccess, to: &router) {
            try await $0.endSession($1, $2)
        }
        form(Self.root + "/keys/{id}/revoke", String.self, on: Self.root, change: .endsAccess, to: &router) {
            try await $0.revokeKeyOfPerson($1, $2)
        }
        page(PagePath.bans, to: &router) { try await $0.bansPage($1) }
        form(PagePath.bans, change: .endsAccess, to: &router) { try await $0.ban($1) }
        form(PagePath.bans + "/remove", on: PagePath.bans, to: &router) { try await $0.removeBan($1) }
        guard services.clientSessions != nil else { return }
        page(PagePath.clients, to: &router) { try await $0.clientsPage($1) }
        form(PagePath.clients, change: .endsAccess, to: &router) { try await $0.removeUnverified($1) }
        form(PagePath.clients + "/{id}", String.self, on: PagePath.clients, change: .endsAccess, to: &router) {
            try await $0.changeClient($1, $2)
        }
    }

    package var pages: AdministrationPages {
        AdministrationPages(
            prefix: prefix, now: now, titles: deviceTitles, hasClients: services.clientSessions != nil)
    }

    var administratorsOnly: ServerResponse {
        plain(
            .forbidden, title: "This page is for administrators",
            sentence: "You are signed in, but you are not an administrator of this server.")
    }

    var unknownAction: ServerResponse {
        plain(
            .badRequest, title: "Unknown action", sentence: "The server does not know this action. Nothing was changed."
        )
    }

    /// Returns a page with the tabs, or with the way back to one of them, and with a note about the action that was just
    /// completed.
    func administrationPage(
        _ title: String, _ content: HTML, for visit: SignedInRequest, at tab: String, status: HTTPStatus = .ok,
        back: (path: String, title: String)? = nil
    ) -> ServerResponse {
        let note = visit.request.query("done").flatMap { Self.notes[$0] }
        var page = framed(
            title,
            """
            \(back == nil ? pages.tabs(tab) : nil)
            \(note.map { "<p class=\"note\" role=\"status\">\($0)</p>" as HTML })
            \(content)
            """, for: visit, at: tab)
        page.isWide = true
        page.back = back.map { "<p class=\"back\"><a href=\"\(link: prefix + $0.path)\">← \($0.title)</a></p>" }
        return page.response(status: status)
    }

    private static let notes = [
        "invited": "The person is added and can sign in through an identity provider.",
        "added": "The person is added, but cannot sign in yet.",
        "disabled": "The person is disabled and signed out everywhere.", "enabled": "The person can sign in again.",
        "ended": "The person is signed out everywhere, and the keys of their programs are revoked.",
        "key": "The key is revoked.", "made": "The person is now an administrator.",
        "unmade": "The person is no longer an administrator.", "session": "The session has ended.",
        "access": "Nobody is signed in to the client any more, and everybody is asked again.",
        "removed": "The client is removed.", "unverified": "The unverified clients are removed.",
        "approved": "The client is approved. People can sign in to it.",
        "refused": "The client is refused. Nobody can sign in to it.",
        "banned": "Requests of the network are refused.", "unbanned": "The ban is removed.",
        "linked": "The identity is linked. The person can now sign in through the identity provider.",
    ]

    /// Returns a form that searches a list.
    func searchForm(_ path: String, _ label: String, _ search: String) -> HTML {
        """
        <form method="get" action="\(link: prefix + path)" class="card row" role="search">
        \(PageField(
            name: "q", label: label, type: "search", autocomplete: "off", value: search, isRequired: false
        ).html)
        <button type="submit" class="other">Search</button>
        </form>
        """
    }

    /// Returns the text that a list is searched for, at most 100 characters.
    func searchText(_ visit: SignedInRequest) -> String { String((visit.request.query("q") ?? "").prefix(100)) }

    /// Returns the links to other pages of a list, or nil when the list has only one page.
    func pageLinks(_ path: String, _ query: [(String, String)], isFirst: Bool, hasMore: Bool) -> HTML? {
        guard !isFirst || hasMore else { return nil }
        let more = "\(prefix)\(path)?\(FormURLEncoded.encode(query))"
        return """
            <nav class="pages" aria-label="More pages">
            \(isFirst ? nil : "<a class=\"button other\" href=\"\(link: prefix + path)\">First page</a>")
            \(hasMore ? "<a class=\"button other\" href=\"\(link: more)\">Next page</a>" : nil)
            </nav>
            """
    }
}

// MARK: - Sessions, providers, failures

extension PageRoutes {
    /// `GET /admin/sessions?before=…`: lists the live sessions of all people.
    private func sessionsPage(_ visit: SignedInRequest) async throws -> ServerResponse {
        let before = visit.request.query("before").flatMap { Int($0) }
        let found = try await services.sessions.livePage(before: before, limit: Self.rowCount + 1)
        let sessions = Array(found.prefix(Self.rowCount))
        let path = Self.root + "/sessions"
        let next = [("before", String(sessions.last?.position ?? 0))]
        return administrationPage(
            "Sessions",
            """
            \(sessions.isEmpty
                ? "<p>There are no more sessions.</p>"
                : pages.sessions(
                    sessions, token: hidden(visit), caption: "Active sessions, the newest first",
                    current: visit.session.id))
            \(pageLinks(path, next, isFirst: before == nil, hasMore: found.count > sessions.count))
            """, for: visit, at: path)
    }

    /// `POST /admin/sessions/{id}/end`: ends a session.
    private func endSession(_ visit: SignedInRequest, _ id: String) async throws -> ServerResponse {
        guard isRecent(visit, for: .administer) else { return confirmFirst(Self.root + "/sessions") }
        let question = ConfirmationPage(
            title: "End this session?",
            sentence: "Its device or browser must then sign in again, and so must the apps that were allowed in it.",
            button: "End the session", page: Self.root + "/sessions")
        if let page = confirmationPage(question, visit) { return page }
        do {
            try await services.sessions.revoke(SessionID(rawValue: id), by: visit.person.id)
        } catch let error as GatewayError where error.code == .unknownSession {
            // A session that has ended in the meantime is not an error.
        }
        return seeOther(Self.root + "/sessions?done=session")
    }

    /// `GET /admin/providers`: shows the results of checks of every identity provider.
    private func providersPage(_ visit: SignedInRequest) async throws -> ServerResponse {
        let configured = services.settings.providers
        let states = await withTaskGroup(of: (Int, ProviderState).self) { group in
            for (index, provider) in configured.enumerated() {
                group.addTask {
                    (index, await providerChecks.state(of: provider.id, at: now) { await state(of: provider) })
                }
            }
            return await group.reduce(into: [Int: ProviderState]()) { $0[$1.0] = $1.1 }
        }
        let rows = configured.enumerated().map { ($1, states[$0] ?? .fails("The server did not check it.")) }
        return administrationPage(
            "Identity providers", pages.providers(rows), for: visit, at: Self.root + "/providers")
    }

    private func state(of provider: ProviderConfiguration) async -> ProviderState {
        do {
            return .answers(warnings: try await ProviderCheck(provider, of: services.settings).run().warnings)
        } catch let error as OpenIDConnectError {
            return .fails(error.message)
        } catch {
            return .fails("The check failed. Run 'latchd providers check \(provider.id)' for the reason.")
        }
    }

    /// `GET /admin/failures?before=…`: lists the most recent failed sign-ins.
    private func failuresPage(_ visit: SignedInRequest) async throws -> ServerResponse {
        let before = visit.request.query("before").flatMap { Int($0) }
        let found = services.audit.failures.page(before: before, limit: Self.rowCount + 1)
        let failures = Array(found.prefix(Self.rowCount))
        var people: [UUID: Person] = [:]
        let unlinked = try await services.people.unlinkedIdentities(limit: UnlinkedIdentity.capacity)
        for id in Set(failures.compactMap(\.event.person)) { people[id] = try await services.people.find(id: id) }
        let path = Self.root + "/failures"
        let next = [("before", String(failures.last?.number ?? 0))]
        return administrationPage(
            "Failed sign-ins",
            """
            \(failures.isEmpty
                ? "<p>No sign-ins have failed since the server started.</p>"
                : pages.failures(failures, people: people, unlinked: unlinked))
            \(pageLinks(path, next, isFirst: before == nil, hasMore: found.count > failures.count))
            \(unlinked.isEmpty ? nil : pages.unlinked(Array(unlinked.prefix(Self.rowCount))))
            """, for: visit, at: path)
    }
}
