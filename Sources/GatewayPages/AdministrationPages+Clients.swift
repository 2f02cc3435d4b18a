import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages

extension AdministrationPages {
    /// Returns a table of clients of the authorization server.
    func clients(_ clients: [(client: RegisteredClient, use: ClientUse)], search: String, token: HTML) -> HTML {
        PageTable(
            caption: search.isEmpty ? "Sorted by name" : "Clients with '\(search)' in name or id",
            columns: ["Name", "Id", "Kind", "Added", "People", "Sessions", "Last used", "Settings", PageTable.actions],
            rows: clients.map { client, use in
                [
                    "\(client.name)", "<code class=\"key\">\(client.id)</code>", Self.kind(client),
                    client.created.map { ReadableTime.ago($0, now: now) } ?? "In the configuration",
                    "\(use.people)", "\(use.sessions)",
                    use.lastUsed.map { ReadableTime.ago($0, now: now) } ?? "Not known",
                    Self.settings(client.settings), actions(client, token),
                ]
            }
        ).html
    }

    /// Returns the form that removes all clients that registered themselves and that no administrator has approved.
    func unverifiedForm(_ token: HTML) -> HTML {
        """
        <form method="post" action="\(link: prefix + PagePath.clients)" class="actions">\(token)\
        <button type="submit" name="action" value="remove-unverified" class="harm">Remove all unverified clients\
        </button></form>
        """
    }

    private static func kind(_ client: RegisteredClient) -> HTML {
        let badge: HTML? = client.registration.map { registration in
            let text =
                switch registration.approval {
                case .notRequired: "Unverified"
                case .approved: "Approved"
                case .waiting: "Waits for approval"
                case .refused: "Refused"
                }
            return "<span class=\"badge plainly\">\(text)</span>"
        }
        return "\(client.isConfidential ? "Confidential" : "Public") \(badge)"
    }

    /// The settings that differ from the defaults, named as in the configuration.
    private static func settings(_ settings: ClientSettings) -> HTML {
        let lines: [HTML] = ClientSetting.changed(in: settings).map { setting, words in
            "<li>\(setting.name): \(words.joined(separator: ", "))</li>"
        }
        return lines.isEmpty ? "Defaults" : "<ul>\(lines)</ul>"
    }

    /// The buttons that approve or refuse a client that registered itself. Nil when neither would change anything.
    private func decision(_ client: RegisteredClient) -> HTML? {
        guard let approval = client.registration?.approval else { return nil }
        func button(_ action: String, _ title: String) -> HTML {
            "<button type=\"submit\" name=\"action\" value=\"\(action)\" aria-label=\"\(title) \(client.name)\">\(title)</button>"
        }
        let approve: HTML? = approval == .approved ? nil : button("approve", "Approve")
        let refuse: HTML? = approval == .refused ? nil : button("refuse", "Refuse")
        return "\(approve)\(refuse)"
    }

    private func actions(_ client: RegisteredClient, _ token: HTML) -> HTML {
        let removal: HTML? =
            client.created.map { _ in
                """
                <button type="submit" name="action" value="remove" class="harm" aria-label="Remove \(client.name)">\
                Remove</button>
                """
            }
        return """
            <form method="post" action="\(link: prefix + PagePath.clients + "/" + client.id)" class="actions">\(token)\(decision(client))\
            <button type="submit" name="action" value="end" class="harm" \
            aria-label="End all access of \(client.name)">End access</button>\(removal)</form>
            """
    }
}
