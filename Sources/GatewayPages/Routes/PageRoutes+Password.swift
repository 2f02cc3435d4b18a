import Crypto
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
package import HTTPServer

/// The page and the form that change a password.
///
/// Source: OWASP Authentication Cheat Sheet, "Change Password Feature"; MASVS 2.1, AUTH-3.
extension PageRoutes {
    /// Adds the routes that change a password.
    package func addPassword(to router: inout Router) {
        page(PagePath.password, mayChangePassword: true, to: &router) { routes, visit in
            let page = try await routes.passwordPage(visit)
            return page.hasPassword ? routes.passwordForm(of: page, for: visit) : routes.notFound
        }
        form(PagePath.password, mayChangePassword: true, change: .endsAccess, to: &router) {
            try await $0.changePassword($1)
        }
    }

    /// `POST /account/password`: sets a new password. The form asks for the current one. All sessions end, all keys are
    /// revoked, and this browser gets a new session.
    private func changePassword(_ visit: SignedInRequest) async throws -> ServerResponse {
        var page = try await passwordPage(visit)
        guard page.hasPassword else { return try await respond(page, to: visit, status: .forbidden) }
        let (current, new) = (visit.fields["current"] ?? "", visit.fields["new"] ?? "")
        if current.isEmpty { page.currentError = "Enter your current password." }
        if let violation = services.settings.passwords.violation(in: Secret(new)) { page.newError = violation }
        if visit.visitor.mustChangePassword, current == new {
            page.newError = "The new password must differ from the current one."
        }
        if new != visit.fields["repeated"] { page.repeatedError = "The passwords do not match." }
        guard !page.hasPasswordError else { return try await respond(page, to: visit, status: .unprocessableContent) }
        let client = client(of: visit.request)
        switch try await services.signIn.check(
            EmailAddress(normalizing: visit.person.email), Secret(current), from: client)
        {
        case .refused:
            page.currentError = "This is not your current password."
            return try await respond(page, to: visit, status: .forbidden)
        case .limited(let wait):
            page.currentError = "Too many attempts. Try again in \(ReadableTime.length(wait, isWait: true))."
            return try await respond(page, to: visit, status: .tooManyRequests).retry(after: wait)
        case .right(let credential):
            let person = try await services.people.choosePassword(
                Secret(new), of: credential.person, by: visit.session.id, keepingSession: false,
                isForced: credential.person.mustChangePassword)
            // The change has ended the session of the request.
            RequestActor.forget()
            let session = try await services.issuer.issue(for: person, device: client.device)
            let next = visit.visitor.mustChangePassword ? destination(visit.fields["return"])?.text : nil
            var response =
                next.map {
                    services.redirectPages.continuing(
                        to: $0, title: "Your password is changed", after: visit.request.method)
                } ?? seeOther(PagePath.account + "?done=password")
            response.headers.append("Set-Cookie", cookie.set(session.token))
            return response
        }
    }

    /// Returns the account page, or only its password form for a person who must change their password first.
    private func passwordPage(_ visit: SignedInRequest) async throws -> AccountPage {
        guard visit.visitor.mustChangePassword else { return try await account(visit) }
        let back = destination(visit.request.query("return") ?? visit.fields["return"])
        var page = AccountPage(
            person: visit.person, current: visit.session.id, sessions: [], now: now, titles: deviceTitles,
            prefix: prefix,
            token: """
                \(hidden(visit))
                \(back.map { "<input type=\"hidden\" name=\"return\" value=\"\($0.text)\">" as HTML })
                """)
        page.hasPassword = true
        page.passwordHint = services.settings.passwords.hint
        page.visit = visit
        return page
    }

    private func respond(_ page: AccountPage, to visit: SignedInRequest, status: HTTPStatus) async throws
        -> ServerResponse
    {
        visit.visitor.mustChangePassword
            ? passwordForm(of: page, for: visit, status: status) : try await respond(page, status: status)
    }

    /// Returns the password form without the rest of the account page.
    private func passwordForm(
        of page: AccountPage, for visit: SignedInRequest, status: HTTPStatus = .ok
    ) -> ServerResponse {
        framed(
            "Change your password",
            """
            \(page.hasPasswordError
                ? "<div role=\"alert\"><p>Your password was not changed; see below.</p></div>" as HTML : nil)
            \(visit.visitor.mustChangePassword
                ? "<p>You must change your password before you continue.</p>" as HTML : nil)
            \(page.password)
            """, for: visit, at: PagePath.password
        ).response(status: status)
    }
}
