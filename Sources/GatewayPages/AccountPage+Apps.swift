import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages

extension AccountPage {
    /// A client that the person allowed something.
    struct App {
        /// The name for people. It is the one that the person allowed, when the client chooses its name itself.
        let name: String
        /// The name that the client has chosen itself since then. Nil when it has not.
        let newName: String?
        /// Whether the client registered itself, and no administrator has approved it.
        let isUnverified: Bool
        let consent: ClientConsent
        /// Whether the client gets refresh tokens.
        let staysSignedIn: Bool

        /// Makes the description of a client, which is nil when it is not known any more.
        init(_ client: RegisteredClient?, _ consent: ClientConsent) {
            let current = client?.name ?? consent.name ?? consent.grant.client
            isUnverified = client?.isUnverified ?? false
            name = client?.selfChosenName != nil ? consent.name ?? current : current
            newName = name == current ? nil : current
            self.consent = consent
            staysSignedIn = client?.settings.issuesRefreshTokens ?? true
        }
    }

    /// How much of what a client may do is shown.
    private static let shownPhrases = 8

    func appsSection(_ apps: [App]) -> HTML {
        let list: HTML =
            apps.isEmpty
            ? "<p class=\"quiet\">No app has access to your account.</p>" : "<ul class=\"list\">\(apps.map(app))</ul>"
        return """
            <section class="card" aria-labelledby="apps">
            <h2 id="apps">Apps with access</h2>
            \(list)
            </section>
            """
    }

    private func app(_ app: App) -> HTML {
        let (grant, sessions) = (app.consent.grant, app.consent.sessions)
        let all = grant.phrases(staysSignedIn: app.staysSignedIn)
        let phrases = all.prefix(Self.shownPhrases)
        let more = all.count - phrases.count
        let rest = more == 0 ? "" : ", and \(more) more"
        return """
            <li>
            <div>
            <h3>\(app.name)\(app.isUnverified ? " <span class=\"badge plainly\">Unverified</span>" as HTML : nil)</h3>
            \(app.newName.map { "<p>It has renamed itself to <strong>\($0)</strong> since you allowed it.</p>" as HTML })
            <p class="quiet">\(phrases.joined(separator: ", "))\(rest) · \
            since \(ReadableTime.at(app.consent.granted)) · \(sessions) \(sessions == 1 ? "session" : "sessions")</p>
            </div>
            <form method="post" action="\(link: prefix + PagePath.account + "/apps/\(grant.client)/remove")">
            \(token)
            <button type="submit" class="harm" aria-label="Remove access: \(app.name)">Remove access</button>
            </form>
            </li>
            """
    }

    /// A warning about a session that ended because a code or an old token of it was used again.
    func warning(_ session: StolenSession) -> HTML {
        let name = session.device.name ?? (session.client.isEmpty ? "an app" : session.client)
        return """
            <div role="alert"><p>\(name), signed in from \(AddressLocation.phrase(for: session.device.address)), was \
            signed out on \(ReadableTime.at(session.ended)): its sign-in code or an old token was used a second time, so \
            somebody else may have it. If you do not know why, sign out everywhere else.</p></div>
            """
    }
}
