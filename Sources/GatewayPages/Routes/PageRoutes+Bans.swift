import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer

/// The banned addresses on the administrator's pages.
extension PageRoutes {
    /// How long an address can be banned, by the values of the form.
    private static let durations: [(value: String, name: String, length: Duration?)] = [
        ("day", "A day", .seconds(86_400)), ("week", "A week", .seconds(604_800)),
        ("month", "30 days", .seconds(2_592_000)), ("none", "Until it is removed", nil),
    ]

    /// `GET /admin/bans?skip=…`: lists the bans, the newest first.
    func bansPage(
        _ visit: SignedInRequest, error: String? = nil, status: HTTPStatus = .ok
    ) async throws -> ServerResponse {
        let skipped = max(0, visit.request.query("skip").flatMap { Int($0) } ?? 0)
        let found = try await services.bans.bans().dropFirst(skipped)
        let bans = Array(found.prefix(Self.rowCount))
        return administrationPage(
            "Bans",
            """
            \(bans.isEmpty ? "<p>No address is banned.</p>" : pages.bans(bans, token: hidden(visit)))
            \(pageLinks(
                PagePath.bans, [("skip", String(skipped + bans.count))], isFirst: skipped == 0,
                hasMore: found.count > bans.count))
            \(banForm(visit, error))
            """, for: visit, at: PagePath.bans, status: status)
    }

    private func banForm(_ visit: SignedInRequest, _ error: String?) -> HTML {
        let chosen = visit.fields["duration"] ?? "day"
        let options: [HTML] = Self.durations.map { value, name, _ in
            "<option value=\"\(value)\"\(flag: "selected", value == chosen)>\(name)</option>"
        }
        return """
            <section class="card" aria-labelledby="ban">
            <h2 id="ban">Ban an address or a network</h2>
            <p class="quiet">All its requests get 403. Sessions of people there do not end.</p>
            <form method="post" action="\(link: prefix + PagePath.bans)">
            \(hidden(visit))
            \(PageField(
                name: "network", label: "Address or network", autocomplete: "off", value: visit.fields["network"],
                hint: "Such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32.", error: error, isFocused: error != nil
            ).html)
            <div class="field"><label for="duration">How long</label>
            <select id="duration" name="duration">\(options)</select></div>
            \(PageField(
                name: "note", label: "Note", autocomplete: "off", value: visit.fields["note"],
                hint: "Optional, for other administrators.", isRequired: false
            ).html)
            <button type="submit">Ban</button>
            </form>
            </section>
            """
    }

    /// `POST /admin/bans`: bans a network. Administrators are told when their own address is in it.
    func ban(_ visit: SignedInRequest) async throws -> ServerResponse {
        guard isRecent(visit, for: .administer) else { return confirmFirst(PagePath.bans) }
        let chosen = visit.fields["duration"] ?? ""
        guard let duration = Self.durations.first(where: { $0.value == chosen }) else { return unknownAction }
        do {
            let network = try services.bans.network(visit.fields["network"] ?? "")
            if let own = services.proxies.client(of: visit.request).ip, network.contains(own) {
                let question = ConfirmationPage(
                    title: "Ban your own address?",
                    sentence: "You are at \(own), which is in \(network). You and everybody there can no longer open "
                        + "this server, this page included. 'latchd bans remove' on the server ends the ban.",
                    button: "Ban my own address", page: PagePath.bans,
                    fields: ["network", "duration", "note"].map { ($0, visit.fields[$0] ?? "") })
                if let page = confirmationPage(question, visit) { return page }
            }
            let note = visit.fields["note"].flatMap { $0.isEmpty ? nil : $0 }
            try await services.bans.add(network.description, for: duration.length, note: note, by: visit.person.id)
            return seeOther(PagePath.bans + "?done=banned")
        } catch let error as GatewayError where error.code == .invalidBan {
            return try await bansPage(visit, error: error.message, status: .unprocessableContent)
        }
    }

    /// `POST /admin/bans/remove`: removes a ban.
    func removeBan(_ visit: SignedInRequest) async throws -> ServerResponse {
        guard isRecent(visit, for: .administer) else { return confirmFirst(PagePath.bans) }
        do {
            try await services.bans.remove(visit.fields["network"] ?? "", by: visit.person.id)
        } catch let error as GatewayError where error.code == .unknownBan {
            // A ban that was removed or has ended in the meantime is not an error.
        }
        return seeOther(PagePath.bans + "?done=unbanned")
    }
}
