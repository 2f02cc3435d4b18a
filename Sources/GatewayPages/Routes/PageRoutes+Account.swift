import Crypto
import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
package import HTTPServer

extension PageRoutes {
    /// Adds the routes of a person's own account.
    package func addAccount(to router: inout Router) {
        page(PagePath.account, to: &router) { try await $0.respond(try await $0.account($1)) }
        let account = PagePath.account
        form(account + "/devices/{id}/end", String.self, on: account, change: .endsAccess, to: &router) {
            try await $0.endDevice($1, $2)
        }
        form(account + "/devices/end-others", on: account, change: .endsAccess, to: &router) {
            try await $0.endOthers($1)
        }
        form(account + "/keys/{id}/revoke", String.self, on: account, change: .endsAccess, to: &router) {
            try await $0.revokeKey($1, $2)
        }
        if services.clientSessions != nil {
            form(account + "/apps/{id}/remove", String.self, on: account, change: .endsAccess, to: &router) {
                try await $0.removeApp($1, $2)
            }
        }
        guard services.settings.enabledDialects.contains(where: \.usesPINs) else { return }
        form(account + "/pin", on: account, to: &router) { try await $0.setPIN($1) }
        form(account + "/pin/remove", on: account, to: &router) { try await $0.removePIN($1) }
    }

    /// Returns the account page with the stored data.
    package func account(_ visit: SignedInRequest) async throws -> AccountPage {
        let sessions = try await services.sessions.live(of: visit.person.id)
        let credential = try await services.people.credential(EmailAddress(normalizing: visit.person.email))
        var page = AccountPage(
            person: visit.person, current: visit.session.id, sessions: sessions, now: now, titles: deviceTitles,
            prefix: prefix, token: hidden(visit))
        page.hasPassword = services.settings.passwordsEnabled && credential?.hash != nil
        page.keys = try await keys(of: visit)
        page.passwordHint = services.settings.passwords.hint
        page.note = visit.request.query("done").flatMap { AccountPage.notes[$0] }
        if services.settings.enabledDialects.contains(where: \.usesPINs) {
            page.pin = AccountPage.PINForm(isSet: try await services.pins.isSet(visit.person.id))
        }
        page.stolen = try await services.clients.stolen(from: visit.person.id, since: now - Self.warningTime)
        if services.clientSessions != nil { try await addApps(to: &page, of: visit.person.id) }
        page.visit = visit
        return page
    }

    func respond(_ page: AccountPage, status: HTTPStatus = .ok) async throws -> ServerResponse {
        guard let visit = page.visit else { return notFound }
        return framed("Your account", page.content, for: visit, at: PagePath.account).response(status: status)
    }

    /// `POST /account/devices/{id}/end`: signs out one device, which may be the current one.
    private func endDevice(_ visit: SignedInRequest, _ id: String) async throws -> ServerResponse {
        if id == visit.session.id.rawValue { return try await signOut(visit) }
        // A session that has ended in the meantime is not an error.
        return try await confirmingFirst(PagePath.account) {
            var ended = 0
            if let found = try await services.sessions.ownSession(SessionID(rawValue: id), of: visit.person.id) {
                ended = try await services.sessions.end(found, asking: visit.session)
            }
            return seeOther(PagePath.account + (ended > 1 ? "?done=device-apps" : "?done=device"))
        }
    }

    /// `POST /account/devices/end-others`: signs out every other device and revokes the person's API keys.
    ///
    /// Source: OWASP MASVS 2.1, AUTH-3.
    private func endOthers(_ visit: SignedInRequest) async throws -> ServerResponse {
        guard isRecent(visit, for: .endOtherSessions) else { return confirmFirst(PagePath.account) }
        let question = ConfirmationPage(
            title: "Sign out everywhere else?",
            sentence: "Every device and browser except this one must sign in again, and the keys of your programs are "
                + "revoked.",
            button: "Sign out everywhere else", page: PagePath.account)
        if let page = confirmationPage(question, visit) { return page }
        try await services.sessions.endOthers(than: visit.session.id, of: visit.person.id)
        return seeOther(PagePath.account + "?done=others")
    }

    /// Whether the person signed in recently enough for an action, here or at an identity provider that reports the
    /// time.
    func isRecent(_ visit: SignedInRequest, for action: SensitiveAction) -> Bool {
        (try? services.requireRecentSignIn(for: action, visit.session)) != nil
    }

    /// Returns the response of an action, or, if it needs a recent sign-in, the redirect to the sign-in page, which later
    /// leads back to a page below the prefix.
    func confirmingFirst(
        _ path: String, _ action: () async throws -> ServerResponse
    ) async throws -> ServerResponse {
        do {
            return try await action()
        } catch let error as GatewayError where error.code == .recentSignInRequired {
            return confirmFirst(path)
        }
    }

    /// Redirects a browser to the sign-in page, which later leads back to a page below the prefix.
    func confirmFirst(_ path: String) -> ServerResponse {
        seeOther(PagePath.signIn(returningTo: prefix + path, requiresReauthentication: true))
    }
}
