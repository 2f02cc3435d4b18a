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
        page(Self.root, isAdministration: true, to: &router) { try await $0.peoplePage($1) }
        page(Self.root + "/people/{id}", UUID.self, isAdministration: true, to: &router) {
            try await $0.personPage($1, $2)
        }
        page(Self.root + "/sessions", isAdministration: true, to: &router) { try await $0.sessionsPage($1) }
        page(Self.root + "/providers", isAdministration: true, to: &router) { try await $0.providersPage($1) }
        page(Self.root + "/failures", isAdministration: true, to: &router) { try await $0.failuresPage($1) }
        page(Self.root + "/identities/{id}", String.self, isAdministration: true, to: &router) {
            try await $0.identityPage($1, $2)
        }
        form(Self.root + "/identities/{id}", String.self, isAdministration: true, to: &router) {
            try await $0.linkIdentity($1, $2)
        }
        form(Self.root + "/people", on: Self.root, isAdministration: true, to: &router) { try await $0.invite($1) }
        form(Self.root + "/people/{id}", UUID.self, isAdministration: true, change: .endsAccess, to: &router) {
            try await $0.changePerson($1, $2)
        }
        form(
            Self.root + "/sessions/{id}/end", String.self, on: Self.root + "/sessions", isAdministration: true,
            change: .endsAccess,
            to: &router
        ) {
            try await $0.endSession($1, $2)
        }
        form(
            Self.root + "/keys/{id}/revoke", String.self, on: Self.root, isAdministration: true, change: .endsAccess,
            to: &router
        ) {
            try await $0.revokeKeyOfPerson($1, $2)
        }
        page(PagePath.bans, isAdministration: true, to: &router) { try await $0.bansPage($1) }
        form(PagePath.bans, isAdministration: true, change: .endsAccess, to: &router) { try await $0.ban($1) }
        form(PagePath.bans + "/remove", on: PagePath.bans, isAdministration: true, to: &router) {
            try await $0.removeBan($1)
        }
        guard services.clientSessions != nil else { return }
        page(PagePath.clients, isAdministration: true, to: &router) { try await $0.clientsPage($1) }
        form(PagePath.clients, isAdministration: true, change: .endsAccess, to: &router) {
            try await $0.removeUnverified($1)
        }
        form(
            PagePath.clients + "/{id}", String.self, on: PagePath.clients, isAdministration: true, change: .endsAccess,
            to: &router
        ) {
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

// MARK: - People

extension PageRoutes {
    /// `GET /admin?q=…&after=…`: lists all people, or the results of a search.
    private func peoplePage(
        _ visit: SignedInRequest, error: String? = nil, status: HTTPStatus = .ok
    ) async throws -> ServerResponse {
        let search = searchText(visit)
        let after = visit.request.query("after") ?? ""
        let found = try await services.people.page(search: search, after: after, limit: Self.rowCount + 1)
        let people = Array(found.prefix(Self.rowCount))
        var rows: [(person: Person, isInvited: Bool)] = []
        for person in people { rows.append((person, try await services.people.isInvited(person.id))) }
        let next = [("q", search), ("after", people.last?.email ?? "")]
        return administrationPage(
            "People",
            """
            \(searchForm(Self.root, "Search by address or name", search))
            \(people.isEmpty ? "<p>No people found.</p>" : pages.people(rows, search: search, viewer: visit.person))
            \(pageLinks(Self.root, next, isFirst: after.isEmpty, hasMore: found.count > people.count))
            \(invitation(visit, error))
            """, for: visit, at: Self.root, status: status)
    }

    private func invitation(_ visit: SignedInRequest, _ error: String?) -> HTML {
        """
        <section class="card" aria-labelledby="invite">
        <h2 id="invite">Add a person</h2>
        <p class="quiet">A person added here has no password and signs in through an identity provider that has \
        verified the e-mail address. \(admitsInvited
            ? nil : "No provider of this server admits such people: set a password with 'latchd user passwd'." as HTML)</p>
        <form method="post" action="\(link: prefix + Self.root + "/people")">
        \(hidden(visit))
        \(PageField(
            name: "email", label: "E-mail", type: "email", autocomplete: "off", value: visit.fields["email"],
            error: error, isFocused: error != nil
        ).html)
        \(PageField(
            name: "name", label: "Name", autocomplete: "off", value: visit.fields["name"], hint: "Optional.",
            isRequired: false
        ).html)
        <button type="submit">Add</button>
        </form>
        </section>
        """
    }

    /// Whether a person without a password can sign in through an identity provider.
    private var admitsInvited: Bool { services.settings.providers.contains(where: \.admitsInvited) }

    /// `POST /admin/people`: adds a person.
    private func invite(_ visit: SignedInRequest) async throws -> ServerResponse {
        guard isRecent(visit, for: .administer) else { return confirmFirst(Self.root) }
        do {
            _ = try await services.people.invite(
                email: visit.fields["email"] ?? "", name: visit.fields["name"], by: visit.person.id)
            return seeOther(Self.root + "?done=" + (admitsInvited ? "invited" : "added"))
        } catch let error as GatewayError where error.code == .invalidEmail || error.code == .personExists {
            return try await peoplePage(visit, error: error.message, status: .unprocessableContent)
        }
    }

    /// `GET /admin/people/{id}`: shows a person and all devices of the person.
    private func personPage(_ visit: SignedInRequest, _ id: UUID) async throws -> ServerResponse {
        guard let person = try await services.people.find(id: id) else { return notFound }
        let sessions = try await services.sessions.live(of: id)
        let identities = try await services.people.identities(of: id)
        let ways = (try await services.people.hasPassword(id) ? ["password"] : []) + identities.map(\.provider)
        return administrationPage(
            person.name ?? person.email,
            """
            <section class="card" aria-label="About the person">
            <dl>
            <dt>E-mail</dt><dd>\(person.email)</dd>
            <dt>Role</dt><dd>\(person.isAdministrator ? "Administrator" : "User")</dd>
            <dt>State</dt><dd>\(AdministrationPages.state(person, isInvited: ways.isEmpty))</dd>
            <dt>Signs in with</dt><dd>\(ways.isEmpty ? "nothing yet" : ways.joined(separator: ", "))</dd>
            <dt>Added</dt><dd>\(ReadableTime.at(person.created))</dd>
            </dl>
            </section>
            \(actions(person, visit))
            \(sessions.isEmpty
                ? "<p>The person has no sessions.</p>"
                : pages.sessions(
                    sessions, token: hidden(visit), caption: "Active sessions, the most recently used first",
                    current: visit.session.id, isOnePerson: true))
            \(try await keysOfPerson(id, visit))
            """, for: visit, at: Self.root, back: (Self.root, "All people"))
    }

    private func actions(_ person: Person, _ visit: SignedInRequest) -> HTML {
        guard person.id != visit.person.id else {
            return """
                <p class="quiet">This is your own account. You cannot change it on this page. Your devices are on \
                <a href="\(link: prefix + PagePath.account)">your account page</a>.</p>
                """
        }
        let buttons: [(String, String)] = [
            person.isActive ? ("disable", "Disable") : ("enable", "Enable"), ("end", "Sign out everywhere"),
            person.isAdministrator ? ("unmake", "Remove administrator role") : ("make", "Make administrator"),
        ]
        let rows: [HTML] = buttons.map { word, text in
            """
            <button type="submit" name="action" value="\(word)" class="\(word == "disable" ? "harm" : "other")">\
            \(text)</button>
            """
        }
        return """
            <form method="post" action="\(link: pages.path(of: person))" class="card row" aria-label="Change this person">
            \(hidden(visit))
            \(rows)
            </form>
            """
    }

    /// `POST /admin/people/{id}`: changes another person.
    private func changePerson(_ visit: SignedInRequest, _ id: UUID) async throws -> ServerResponse {
        guard let person = try await services.people.find(id: id) else { return notFound }
        let path = "\(Self.root)/people/\(person.id.uuidString.lowercased())"
        guard isRecent(visit, for: .administer) else { return confirmFirst(path) }
        guard person.id != visit.person.id else {
            return plain(
                .forbidden, title: "Not possible for your own account",
                sentence: "Only another administrator can make this change to your account. Nothing was changed.")
        }
        let action = visit.fields["action"] ?? ""
        if let question = Self.question(action, about: person, page: path),
            let page = confirmationPage(question, visit)
        {
            return page
        }
        let (people, actor) = (services.people, visit.person.id)
        switch action {
        case "disable": try await people.disable(id, by: actor)
        case "enable": try await people.enable(id, by: actor)
        case "end": try await services.sessions.revokeAll(of: id, by: actor)
        case "make": try await people.setAdministrator(true, id, by: actor)
        case "unmake": try await people.setAdministrator(false, id, by: actor)
        default: return unknownAction
        }
        let done = ["disable": "disabled", "enable": "enabled", "end": "ended", "make": "made", "unmake": "unmade"]
        return seeOther("\(path)?done=\(done[action] ?? "")")
    }

    /// Returns the confirmation before a person is changed, or nil for an action that one click can undo.
    private static func question(_ action: String, about person: Person, page: String) -> ConfirmationPage? {
        let name = person.name ?? person.email
        let texts: (title: String, sentence: String, button: String)? =
            switch action {
            case "disable":
                (
                    "Disable \(name)?",
                    "\(person.email) is signed out on every device immediately, and cannot sign in until an "
                        + "administrator enables the account again.", "Disable"
                )
            case "end":
                (
                    "Sign out \(name) everywhere?",
                    "Every device and browser of \(person.email) must sign in again, and the keys of this person's "
                        + "programs are revoked.",
                    "Sign out everywhere"
                )
            case "make":
                (
                    "Make \(name) an administrator?",
                    "\(person.email) can then do everything on these pages that you can, including changes to other "
                        + "administrators."
                        + (person.provedAddress == nil ? " The person's e-mail address is not verified." : ""),
                    "Make administrator"
                )
            case "unmake":
                (
                    "Remove the administrator role from \(name)?",
                    "\(person.email) can no longer open these pages. Nothing else changes.",
                    "Remove administrator role"
                )
            default: nil
            }
        return texts.map {
            ConfirmationPage(
                title: $0.title, sentence: $0.sentence, button: $0.button, page: page, isHarmful: action != "make",
                fields: [("action", action)])
        }
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
            title: "End this session?", sentence: "Its device or browser must then sign in again.",
            button: "End the session", page: Self.root + "/sessions")
        if let page = confirmationPage(question, visit) { return page }
        do {
            try await services.sessions.revoke(SessionID(rawValue: id), by: visit.person.id)
        } catch let error as GatewayError where error.code == .unknownSession {
            // A session that has ended in the meantime is not an error.
        }
        return seeOther(Self.root + "/sessions?done=session")
    }

    /// `GET /admin/providers`: checks every identity provider and shows the results.
    private func providersPage(_ visit: SignedInRequest) async throws -> ServerResponse {
        let configured = services.settings.providers
        let states = await withTaskGroup(of: (Int, ProviderState).self) { group in
            for (index, provider) in configured.enumerated() {
                group.addTask { (index, await state(of: provider)) }
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
