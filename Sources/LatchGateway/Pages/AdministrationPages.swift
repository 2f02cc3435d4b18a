import FoundationEssentials
import OpenIDConnect
import Wire

/// What stands on the administrator's pages, each below the tabs that lead to the others.
struct AdministrationPages {
    let prefix: String
    let now: Date

    /// The tabs, by their paths below the prefix.
    static let tabs = [
        (PagePath.administration, "People"), (PagePath.administration + "/sessions", "Sessions"),
        (PagePath.administration + "/providers", "Providers"), (PagePath.administration + "/failures", "Failures"),
    ]

    func tabs(_ current: String) -> HTML {
        let links: [HTML] = Self.tabs.map { path, words in
            "<a href=\"\(link: prefix + path)\"\(attribute: "aria-current", path == current ? "page" : nil)>\(words)</a>"
        }
        return "<nav class=\"tabs\" aria-label=\"Administration\">\(links)</nav>"
    }

    func people(_ people: [Person], search: String) -> HTML {
        PageTable(
            caption: search.isEmpty ? "People by e-mail address" : "People with '\(search)' in address or name",
            columns: ["E-mail", "Name", "Role", "State", "Added"],
            rows: people.map { person in
                [
                    "<a href=\"\(link: path(of: person))\">\(person.email)</a>", "\(person.name ?? "")",
                    person.isAdministrator ? "Administrator" : "Person", Self.state(person),
                    ReadableTime.ago(person.created, now: now),
                ]
            }
        ).html
    }

    func path(of person: Person) -> String {
        "\(prefix)\(PagePath.administration)/people/\(person.id.uuidString.lowercased())"
    }

    static func state(_ person: Person) -> HTML {
        person.isActive ? "<span class=\"badge\">Active</span>" : "<span class=\"badge off\">Disabled</span>"
    }

    func sessions(_ sessions: [SessionSummary], token: HTML, caption: String) -> HTML {
        PageTable(
            caption: caption, columns: ["Person", "Device", "From", "Signed in", "Last used", "End"],
            rows: sessions.map { session in
                let device = [session.device.name, session.device.kind].compactMap(\.self).joined(separator: ", ")
                return [
                    "\(session.email ?? "removed")", "\(device.isEmpty ? "Unknown" : device)",
                    "\(AccountPage.place(session.device.address))", ReadableTime.ago(session.created, now: now),
                    ReadableTime.ago(session.lastUsed, now: now), end(session, token),
                ]
            }
        ).html
    }

    private func end(_ session: SessionSummary, _ token: HTML) -> HTML {
        let action = "\(prefix)\(PagePath.administration)/sessions/\(session.id.rawValue)/end"
        let words = "End the session of \(session.email ?? "somebody removed") on \(session.device.name ?? "a device")"
        return """
            <form method="post" action="\(link: action)">\(token)\
            <button type="submit" class="harm" aria-label="\(words)">End</button></form>
            """
    }

    func failures(_ failures: [SignInFailure], people: [UUID: Person]) -> HTML {
        PageTable(
            caption: "Sign-ins that failed since the server started, the newest first",
            columns: ["When", "Reason", "Person", "From", "Device"],
            rows: failures.map { failure in
                let event = failure.event
                let person = event.person.flatMap { people[$0] }
                let who: HTML =
                    person.map { "<a href=\"\(link: path(of: $0))\">\($0.email)</a>" }
                    ?? (event.person == nil ? "Nobody known" : "Removed")
                return [
                    ReadableTime.ago(failure.time, now: now), "\(Self.reason(event))", who,
                    "\(AccountPage.place(event.address))", "\(event.device?.name ?? "Unknown")",
                ]
            }
        ).html
    }

    /// The audit log's word in words.
    private static func reason(_ event: AuditEvent) -> String {
        if event.kind == .lockedOut {
            let length = event.duration.map { " for \(ReadableTime.length($0, isWait: true))" } ?? ""
            return event.reason == "address" ? "Address locked out\(length)" : "Account locked out\(length)"
        }
        let words = (event.reason ?? "unknown").replacing("-", with: " ")
        let at = event.provider.map { " (\($0))" } ?? ""
        return words.prefix(1).uppercased() + words.dropFirst() + at
    }

    func providers(_ providers: [(ProviderConfiguration, ProviderState)]) -> HTML {
        guard !providers.isEmpty else {
            return "<p>There are no identity providers; people sign in with passwords.</p>"
        }
        return PageTable(
            caption: "Asked just now", columns: ["Id", "Button", "Issuer", "State"],
            rows: providers.map { provider, state in
                [
                    "<code>\(provider.id)</code>", "\(provider.title)", "<code>\(provider.settings.issuer)</code>",
                    Self.words(state),
                ]
            }
        ).html
    }

    private static func words(_ state: ProviderState) -> HTML {
        switch state {
        case .answers(let warnings):
            "<span class=\"badge\">Answers</span>\(warnings.map { "<p>\($0)</p>" as HTML })"
        case .fails(let sentence): "<span class=\"badge off\">Does not answer</span><p>\(sentence)</p>"
        }
    }
}

/// Whether an identity provider can be used.
enum ProviderState: Sendable {
    /// It answers; what an operator should look at all the same.
    case answers(warnings: [String])
    /// It does not, or what it says cannot be used.
    case fails(String)
}
