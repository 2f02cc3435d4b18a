import GatewayCore
import GatewayHTTP
import HTTPMessages

extension AdministrationPages {
    /// Returns a table of bans.
    func bans(_ bans: [Ban], token: HTML) -> HTML {
        PageTable(
            caption: "The newest first", columns: ["Network", "Since", "Until", "Note", PageTable.actions],
            rows: bans.map { ban in
                [
                    "<code class=\"key\">\(ban.network.description)</code>", ReadableTime.ago(ban.created, now: now),
                    ban.expires.map { ReadableTime.at($0) } ?? "No end", "\(ban.note ?? "")",
                    """
                    <form method="post" action="\(link: prefix + PagePath.bans + "/remove")" class="actions">\(token)\
                    <input type="hidden" name="network" value="\(ban.network.description)">\
                    <button type="submit" class="other" aria-label="Remove the ban of \(ban.network.description)">\
                    Remove</button></form>
                    """,
                ]
            }
        ).html
    }
}
