import FoundationEssentials
import GatewayCore
import HTTPMessages

/// A table of a person's API keys, each with a button that revokes it.
package struct KeyTable {
    let keys: [APIKey]
    let now: Date
    /// The path before `/{id}/revoke`.
    let path: String
    /// The hidden field of every form.
    let token: HTML
    /// The caption of the table.
    var caption = "Valid keys, the newest first"

    /// The table. Nil when there are no keys.
    var table: HTML? {
        guard !keys.isEmpty else { return nil }
        return PageTable(
            caption: caption, columns: ["Name", "Scopes", "Created", "Last used", "Expires", PageTable.actions],
            rows: keys.map { key in
                [
                    "\(key.name)", "\(key.scopes.joined(separator: ", "))", ReadableTime.ago(key.created, now: now),
                    key.lastUsed.map { ReadableTime.ago($0, now: now) } ?? "Never",
                    key.expires.map { ReadableTime.at($0) } ?? "Never", revoke(key),
                ]
            }
        ).html
    }

    /// The section with the table on the account page.
    var section: HTML {
        """
        <section class="card" aria-labelledby="keys">
        <h2 id="keys">Keys of your programs</h2>
        \(table ?? "<p class=\"quiet\">None of your programs has a key.</p>")
        </section>
        """
    }

    private func revoke(_ key: APIKey) -> HTML {
        """
        <form method="post" action="\(link: "\(path)/\(key.id.uuidString.lowercased())/revoke")">\(token)\
        <button type="submit" class="harm" aria-label="Revoke the key \(key.name)">Revoke</button></form>
        """
    }
}
