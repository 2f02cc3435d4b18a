import GatewayCore
import GatewayHTTP
import HTTPMessages

extension AdministrationPages {
    /// Returns a table of clients of the authorization server.
    func clients(_ clients: [(client: RegisteredClient, use: ClientUse)], search: String, token: HTML) -> HTML {
        PageTable(
            caption: search.isEmpty ? "Sorted by name" : "Clients with '\(search)' in name or id",
            columns: ["Name", "Id", "Kind", "Added", "People", "Sessions", "Last used", PageTable.actions],
            rows: clients.map { client, use in
                [
                    "\(client.name)", "<code class=\"key\">\(client.id)</code>", Self.kind(client),
                    client.created.map { ReadableTime.ago($0, now: now) } ?? "In the configuration",
                    "\(use.people)", "\(use.sessions)",
                    use.lastUsed.map { ReadableTime.ago($0, now: now) } ?? "Not known", actions(client, token),
                ]
            }
        ).html
    }

    private static func kind(_ client: RegisteredClient) -> HTML {
        let badge: HTML? = client.registration.map { _ in "<span class=\"badge plainly\">Unverified</span>" }
        return "\(client.isConfidential ? "Confidential" : "Public") \(badge)"
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
            <form method="post" action="\(link: prefix + PagePath.clients + "/" + client.id)" class="actions">\(token)\
            <button type="submit" name="action" value="end" class="harm" \
            aria-label="End all access of \(client.name)">End access</button>\(removal)</form>
            """
    }
}
