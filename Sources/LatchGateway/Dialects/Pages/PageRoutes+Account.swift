import Crypto
import FoundationEssentials
import HTTPServer
import Wire

extension PageRoutes {
    /// Adds what a person does with the own account.
    func addAccount(to router: inout Router) {
        page(PagePath.account, to: &router) { try await $0.respond(try await $0.account($1)) }
        form(PagePath.account + "/devices/{id}/end", String.self, to: &router) { try await $0.endDevice($1, $2) }
        form(PagePath.account + "/devices/end-others", to: &router) { try await $0.endOthers($1) }
        form(PagePath.account + "/password", to: &router) { try await $0.changePassword($1) }
        guard services.settings.immich.isEnabled else { return }
        form(PagePath.account + "/pin", to: &router) { try await $0.setPIN($1) }
        form(PagePath.account + "/pin/remove", to: &router) { try await $0.removePIN($1) }
    }

    /// The account page with what is stored now.
    func account(_ visit: PageVisit) async throws -> AccountPage {
        let sessions = try await services.sessions.live(of: visit.person.id)
        let credential = try await services.people.credential(EmailAddress(normalizing: visit.person.email))
        var page = AccountPage(
            person: visit.person, current: visit.session.id, sessions: sessions, now: now, prefix: prefix,
            token: hidden(visit))
        page.hasPassword = services.settings.passwordsEnabled && credential?.hash != nil
        page.passwordHint = services.settings.passwords.hint
        page.note = visit.request.query("done").flatMap { AccountPage.notes[$0] }
        if services.settings.immich.isEnabled {
            page.pin = AccountPage.PINForm(isSet: try await services.pins.isSet(visit.person.id))
        }
        page.visit = visit
        return page
    }

    func respond(_ page: AccountPage, _ status: HTTPStatus = .ok) async throws -> ServerResponse {
        guard let visit = page.visit else { return notFound }
        return framed("Your account", page.content, for: visit, at: PagePath.account).response(status: status)
    }

    /// `POST /account/devices/{id}/end`: one device is signed out; the one in hand too.
    private func endDevice(_ visit: PageVisit, _ id: String) async throws -> ServerResponse {
        if id == visit.session.id.rawValue { return try await signOut(visit) }
        // One that ended by itself meanwhile is what the person wanted.
        _ = try await services.sessions.end(SessionID(rawValue: id), of: visit.person.id)
        return seeOther(PagePath.account + "?done=device")
    }

    /// `POST /account/devices/end-others`: every other device is signed out.
    ///
    /// Source: OWASP MASVS 2.1, AUTH-3.
    private func endOthers(_ visit: PageVisit) async throws -> ServerResponse {
        guard isRecent(visit) else { return confirmFirst(PagePath.account) }
        let question = PageQuestion(
            title: "Sign out every other device?",
            sentence: "Every device and browser but this one must sign in again before it can go on.",
            button: "Sign out every other device", page: PagePath.account)
        if let page = unanswered(question, visit) { return page }
        try await services.sessions.endOthers(than: visit.session.id, of: visit.person.id)
        return seeOther(PagePath.account + "?done=others")
    }

    /// `POST /account/password`: another password. The current one is asked, every session ends, and this browser gets a new
    /// one.
    ///
    /// Source: OWASP Authentication Cheat Sheet, "Change Password Feature"; MASVS 2.1, AUTH-3.
    private func changePassword(_ visit: PageVisit) async throws -> ServerResponse {
        var page = try await account(visit)
        guard page.hasPassword else { return try await respond(page, .forbidden) }
        let (current, new) = (visit.fields["current"] ?? "", visit.fields["new"] ?? "")
        if current.isEmpty { page.currentMistake = "Type your current password." }
        if let complaint = services.settings.passwords.complaint(about: Secret(new)) { page.newMistake = complaint }
        if new != visit.fields["repeated"] { page.repeatedMistake = "This is not the same as the new password." }
        guard !page.hasPasswordMistake else { return try await respond(page, .unprocessableContent) }
        let client = client(of: visit.request)
        switch try await services.signIn.check(
            EmailAddress(normalizing: visit.person.email), Secret(current), from: client)
        {
        case .refused:
            page.currentMistake = "This is not your current password."
            return try await respond(page, .forbidden)
        case .limited(let wait):
            page.currentMistake =
                "There were too many attempts. Try again in \(ReadableTime.length(wait, isWait: true))."
            var response = try await respond(page, .tooManyRequests)
            response.headers["Retry-After"] = String(max(1, Int(wait.seconds.rounded(.up))))
            return response
        case .right(let credential):
            let person = try await services.people.setPassword(
                Secret(new), of: credential.person.id, by: visit.person.id)
            let session = try await services.issuer.issue(for: person, device: client.device)
            var response = seeOther(PagePath.account + "?done=password")
            response.headers.append("Set-Cookie", cookie.set(session.token))
            return response
        }
    }

    /// For how long after a sign-in the browser may do what is dangerous without another one.
    static let recency = 600.0

    /// Whether the person showed a short while ago who it is, here or at an identity provider that tells it.
    ///
    /// Source: OWASP MASVS 2.1, AUTH-3; RFC 9470 §1; OpenID Connect Core §2, `auth_time`.
    func isRecent(_ visit: PageVisit) -> Bool {
        now.timeIntervalSince(visit.session.authenticated) < Self.recency
    }

    /// Sends a browser to the sign-in once more; it comes back to a page below the prefix.
    func confirmFirst(_ path: String) -> ServerResponse {
        seeOther(PagePath.signIn(returningTo: prefix + path, isAgain: true))
    }
}
