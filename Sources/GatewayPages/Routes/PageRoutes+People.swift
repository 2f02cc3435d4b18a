import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer

/// The administrator's pages of people.
extension PageRoutes {
    /// `GET /admin?q=…&after=…`: lists all people, or the results of a search.
    func peoplePage(
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
            \(searchForm(PagePath.administration, "Search by address or name", search))
            \(people.isEmpty ? "<p>No people found.</p>" : pages.people(rows, search: search, viewer: visit.person))
            \(pageLinks(PagePath.administration, next, isFirst: after.isEmpty, hasMore: found.count > people.count))
            \(invitation(visit, error))
            """, for: visit, at: PagePath.administration, status: status)
    }

    private func invitation(_ visit: SignedInRequest, _ error: String?) -> HTML {
        """
        <section class="card" aria-labelledby="invite">
        <h2 id="invite">Add a person</h2>
        <p class="quiet">A person added here has no password and signs in through an identity provider that has \
        verified the e-mail address. \(admitsInvited
            ? nil : "No provider of this server admits such people: set a password with 'latchd user passwd'." as HTML)</p>
        <form method="post" action="\(link: prefix + PagePath.administration + "/people")">
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
    func invite(_ visit: SignedInRequest) async throws -> ServerResponse {
        guard isRecent(visit, for: .administer) else { return confirmFirst(PagePath.administration) }
        do {
            _ = try await services.people.invite(
                email: visit.fields["email"] ?? "", name: visit.fields["name"], by: visit.person.id)
            return seeOther(PagePath.administration + "?done=" + (admitsInvited ? "invited" : "added"))
        } catch let error as GatewayError where error.code == .invalidEmail || error.code == .personExists {
            return try await peoplePage(visit, error: error.message, status: .unprocessableContent)
        }
    }

    /// `GET /admin/people/{id}`: shows a person and all devices of the person.
    func personPage(_ visit: SignedInRequest, _ id: UUID) async throws -> ServerResponse {
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
            """, for: visit, at: PagePath.administration, back: (PagePath.administration, "All people"))
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
    func changePerson(_ visit: SignedInRequest, _ id: UUID) async throws -> ServerResponse {
        guard let person = try await services.people.find(id: id) else { return notFound }
        let path = "\(PagePath.administration)/people/\(person.id.uuidString.lowercased())"
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
