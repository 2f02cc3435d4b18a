import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
package import HTTPServer

/// The PIN form of the account page.
///
/// Source: IM-15; OWASP MASVS 2.1, AUTH-3.
extension PageRoutes {
    /// `POST /account/pin`: sets the first PIN after a recent sign-in, or changes the PIN with the current one as
    /// proof.
    package func setPIN(_ visit: SignedInRequest) async throws -> ServerResponse {
        var page = try await account(visit)
        guard var form = page.pin else { return notFound }
        let text = visit.fields["pin"] ?? ""
        guard let pin = try? PIN(text) else {
            form.newError = "A PIN must have four to six digits and nothing else."
            page.pin = form
            return try await respond(page, status: .unprocessableContent)
        }
        guard visit.fields["repeated_pin"] == text else {
            form.repeatedError = "This PIN differs from the one above."
            page.pin = form
            return try await respond(page, status: .unprocessableContent)
        }
        guard form.isSet else {
            guard isRecent(visit, for: .setFirstPIN) else { return confirmFirst(PagePath.account) }
            try await services.pins.set(pin, of: visit.person.id, by: visit.session.id)
            return seeOther(PagePath.account + "?done=pin")
        }
        if let (status, error) = try await change(visit, to: pin) {
            form.currentError = error
            page.pin = form
            return try await respond(page, status: status)
        }
        return seeOther(PagePath.account + "?done=pin")
    }

    /// Changes the PIN. Returns the error when the current PIN does not allow it, otherwise nil.
    private func change(_ visit: SignedInRequest, to pin: PIN) async throws -> (HTTPStatus, String)? {
        let wrong = (HTTPStatus.forbidden, "This is not your current PIN.")
        guard let current = try? PIN(visit.fields["current_pin"] ?? "") else { return wrong }
        switch try await services.pins.change(to: pin, of: visit.person.id, by: .pin(current)) {
        case .right: return nil
        case .wrong, .notSet: return wrong
        case .limited(let wait):
            let duration = ReadableTime.length(wait, isWait: true)
            return (.tooManyRequests, "Too many attempts. Try again in \(duration).")
        }
    }

    /// `POST /account/pin/remove`: removes the PIN after a recent sign-in, so that a person who forgot the PIN can
    /// remove it.
    package func removePIN(_ visit: SignedInRequest) async throws -> ServerResponse {
        guard isRecent(visit, for: .removePIN) else { return confirmFirst(PagePath.account) }
        let question = ConfirmationPage(
            title: "Remove your PIN?",
            sentence: "Locked content in your apps stays locked until you set a new PIN.", button: "Remove PIN",
            page: PagePath.account)
        if let page = confirmationPage(question, visit) { return page }
        switch try await services.pins.remove(of: visit.person.id, by: .session(visit.session.id)) {
        // A PIN that has been removed in the meantime is not an error.
        case .right, .notSet: return seeOther(PagePath.account + "?done=no-pin")
        case .wrong, .limited: return confirmFirst(PagePath.account)
        }
    }
}
