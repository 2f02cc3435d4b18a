import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import OpenIDConnect

/// The contents of the administrator's pages. Each page has tabs that link to the others.
package struct AdministrationPages {
    let prefix: String
    let now: Date
    let titles: DeviceTitles
    /// Whether people sign in to clients of the authorization server.
    let hasClients: Bool

    /// The tabs: their paths below the prefix, and their titles.
    private var tabs: [(path: String, title: String)] {
        [(PagePath.administration, "People"), (PagePath.administration + "/sessions", "Sessions")]
            + (hasClients ? [(PagePath.clients, "Clients")] : [])
            + [
                (PagePath.administration + "/providers", "Providers"),
                (PagePath.administration + "/failures", "Failures"), (PagePath.bans, "Bans"),
            ]
    }

    func tabs(_ current: String) -> HTML {
        let links: [HTML] = tabs.map { path, name in
            "<a href=\"\(link: prefix + path)\"\(attribute: "aria-current", path == current ? "page" : nil)>\(name)</a>"
        }
        return "<nav class=\"tabs\" aria-label=\"Administration\">\(links)</nav>"
    }

    func people(_ people: [(person: Person, isInvited: Bool)], search: String, viewer: Person) -> HTML {
        PageTable(
            caption: search.isEmpty ? "Sorted by e-mail address" : "People with '\(search)' in e-mail address or name",
            columns: ["E-mail", "Name", "Role", "State", "Added"],
            rows: people.map { person, isInvited in
                [
                    "\(link(to: person)) \(person.id == viewer.id ? Self.you : nil)", "\(person.name ?? "")",
                    person.isAdministrator ? "Administrator" : "User", Self.state(person, isInvited: isInvited),
                    ReadableTime.ago(person.created, now: now),
                ]
            }
        ).html
    }

    func path(of person: Person) -> String { path(of: person.id) }

    private func path(of person: UUID) -> String {
        "\(prefix)\(PagePath.administration)/people/\(person.uuidString.lowercased())"
    }

    private func link(to person: Person) -> HTML {
        "<a href=\"\(link: path(of: person))\">\(person.email)</a>"
    }

    private static let you: HTML = "<span class=\"badge plainly\">You</span>"

    /// Returns a badge for the state of an account, and one more when its address is not verified and may be another
    /// person's.
    static func state(_ person: Person, isInvited: Bool) -> HTML {
        let state: HTML =
            if !person.isActive { "<span class=\"badge off\">Disabled</span>" } else if isInvited {
                "<span class=\"badge plainly\">Invited</span>"
            } else { "<span class=\"badge\">Active</span>" }
        guard person.provedAddress == nil else { return state }
        return "\(state) <span class=\"badge plainly\">Address not verified</span>"
    }

    /// Returns a table of sessions. Unless all sessions belong to one person, each has a link to its person's page.
    func sessions(
        _ sessions: [SessionSummary], token: HTML, caption: String, current: SessionID, isOnePerson: Bool = false
    ) -> HTML {
        let columns = (isOnePerson ? [] : ["Person"]) + ["Device", "From", "Signed in", "Last used", PageTable.actions]
        return PageTable(
            caption: caption, columns: columns,
            rows: sessions.map { session in
                let isCurrent = session.id == current
                let own: HTML? = isCurrent ? "<span class=\"badge\">This browser</span>" : nil
                let row: [HTML] = [
                    "\(titles.title(of: session.device)) \(own)",
                    "\(AddressLocation.phrase(for: session.device.address))",
                    ReadableTime.ago(session.created, now: now), ReadableTime.ago(session.lastUsed, now: now),
                    end(session, token),
                ]
                return isOnePerson ? row : [who(session)] + row
            }
        ).html
    }

    private func who(_ session: SessionSummary) -> HTML {
        guard let email = session.email else { return "removed" }
        return "<a href=\"\(link: path(of: session.person))\">\(email)</a>"
    }

    private func end(_ session: SessionSummary, _ token: HTML) -> HTML {
        let action = "\(prefix)\(PagePath.administration)/sessions/\(session.id.rawValue)/end"
        let device = session.device.name == nil ? "a device" : titles.title(of: session.device)
        let label = "End the session of \(session.email ?? "a removed person") on \(device)"
        return """
            <form method="post" action="\(link: action)">\(token)\
            <button type="submit" class="harm" aria-label="\(label)">End</button></form>
            """
    }

    /// Returns a table of failed sign-ins, with links to the pages on which unlinked identities are linked.
    func failures(
        _ failures: [SignInFailure], people: [UUID: Person], unlinked: [UnlinkedIdentity]
    ) -> HTML {
        // An event contains the subject as it is shown. There is no link when that may match two identities.
        let identities = Dictionary(grouping: unlinked) { [$0.provider, AuditEvent.shown(subject: $0.subject)] }
        return PageTable(
            caption: "Since the server started, the newest first",
            columns: ["Reason", "When", "Person", "From", "Device"],
            rows: failures.map { failure in
                let event = failure.event
                let person = event.person.flatMap { people[$0] }
                let other = event.person == nil ? "Unknown" : "Removed"
                let matching = event.subject.flatMap { identities[[event.provider, $0]] } ?? []
                let identity = matching.count == 1 ? matching.first : nil
                return [
                    "\(Self.reason(event))\(Self.hint(event).map { "<p>\($0)</p>" as HTML })",
                    ReadableTime.ago(failure.time, now: now),
                    """
                    \(person.map(link) ?? "\(other)")\(event.subject.map { "<p>Subject <code>\($0)</code></p>" as HTML })\
                    \(identity.map { linking($0) })
                    """,
                    "\(AddressLocation.phrase(for: event.address))",
                    "\(event.device.map(titles.title) ?? "Unknown device")",
                ]
            }
        ).html
    }

    /// Returns a table of unlinked identities, each with a link to the page on which it is linked.
    func unlinked(_ identities: [UnlinkedIdentity]) -> HTML {
        PageTable(
            caption: "Signed in at a provider, but not linked to a person",
            columns: ["Subject", "Provider", "E-mail", "When", PageTable.actions],
            rows: identities.map { identity in
                [
                    "<code>\(identity.subject)</code>", "<code class=\"key\">\(identity.provider)</code>",
                    "\(identity.email ?? "none")", ReadableTime.ago(identity.seen, now: now), linking(identity),
                ]
            }
        ).html
    }

    private func linking(_ identity: UnlinkedIdentity) -> HTML {
        let name = "Link \(identity.subject) of \(identity.provider) to a person"
        return """
            <a class="button other" href="\(link: prefix + PagePath.identity(identity.id))" aria-label="\(name)">Link to…</a>
            """
    }

    /// Returns the audit log's reason for a failed sign-in as a phrase for people.
    private static func reason(_ event: AuditEvent) -> String {
        if event.kind == .lockedOut {
            let length = event.duration.map { " for \(ReadableTime.length($0, isWait: true))" } ?? ""
            return event.reason == "address" ? "Address locked out\(length)" : "Account locked out\(length)"
        }
        let text =
            event.reason == "denied-at-provider"
            ? "The person declined" : (event.reason ?? "unknown").replacing("-", with: " ")
        let at = event.provider.map { " (\($0))" } ?? ""
        return text.prefix(1).uppercased() + text.dropFirst() + at
    }

    /// Returns a hint for an administrator about a failed sign-in. Nil when there is none.
    private static func hint(_ event: AuditEvent) -> String? {
        switch event.reason {
        case "email-unverified":
            "The provider must send 'email_verified: true'; see the manual's page on identity providers."
        case "not-linked": "A person has this e-mail address, but 'link_by_email' is off for the provider."
        default: nil
        }
    }

    func providers(_ providers: [(ProviderConfiguration, ProviderState)]) -> HTML {
        guard !providers.isEmpty else {
            return "<p>There are no identity providers; people sign in with passwords.</p>"
        }
        return PageTable(
            caption: "Checked just now, including the client's id and secret.",
            columns: ["Id", "Button", "Issuer", "State"],
            rows: providers.map { provider, state in
                [
                    "<code class=\"key\">\(provider.id)</code>", "\(provider.title)",
                    "<code>\(provider.settings.issuer)</code>",
                    Self.text(state),
                ]
            }
        ).html
    }

    private static func text(_ state: ProviderState) -> HTML {
        switch state {
        case .answers(let warnings):
            "<span class=\"badge\">Responds</span>\(warnings.map { "<p>\($0)</p>" as HTML })"
        case .fails(let sentence): "<span class=\"badge off\">Failed</span><p>\(sentence)</p>"
        }
    }
}

/// Whether an identity provider can be used.
enum ProviderState: Sendable {
    /// The provider responds. The warnings are for the operator.
    case answers(warnings: [String])
    /// The provider does not respond, its response cannot be used, or it refuses the client.
    case fails(String)
}
