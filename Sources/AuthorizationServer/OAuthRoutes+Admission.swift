import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import GatewayPages
import HTTPMessages
import HTTPServer

/// People who may not sign in to a client. ``RegisteredClient/refusal(of:in:_:)`` decides for every flow.
extension OAuthRoutes {
    /// Returns the page that tells a person why, with a way back to the client, which gets `access_denied`. A client that
    /// must not show a page gets the error at once.
    ///
    /// - Throws: ``AuthorizationError``, or an error of the store of requests.
    func refuse(
        _ visitor: SignedInBrowser, _ refusal: ClientRefusal, _ parameters: AuthorizationParameters,
        _ authorization: Authorization, _ request: ServerRequest
    ) async throws -> ServerResponse {
        record(refusal, of: visitor, parameters.client, request)
        guard parameters.mayInteract else {
            // Another sign-in may be stronger.
            throw refusal == .weakAuthentication ? AuthorizationError.loginRequired : .notAdmitted
        }
        let error = AuthorizationError.notAdmitted
        let (button, formTargets) = wayBack(
            to: parameters.destination, [("error", error.code), ("error_description", error.sentence)])
        return try await keep(authorization, for: request) { handle in
            refusalPage(
                refusal, parameters.client, visitor, returningTo: returnPath(authorization, handle), button,
                formTargets: formTargets)
        }
    }

    /// Records that a person may not sign in to a client, at most 60 times in each minute together with clients that did
    /// not authenticate, because a person can repeat the request.
    func record(
        _ refusal: ClientRefusal, of visitor: SignedInBrowser, _ client: RegisteredClient, _ request: ServerRequest
    ) {
        let address = services.proxies.client(of: request)
        guard failures.admit(from: AddressKey(address), at: services.now()) != nil else { return }
        services.audit.record(
            AuditEvent(
                .signInFailed, reason: refusal.reason, person: visitor.person.id, session: visitor.session.id,
                address: address.description, request: request.id, client: client.id))
    }

    /// Returns the page that says why a person may not sign in to a client, and whom to ask.
    ///
    /// - Parameters:
    ///   - refusal: Why.
    ///   - client: The client.
    ///   - visitor: The browser of the person who is signed in.
    ///   - path: Where somebody else continues who signs out here and signs in.
    ///   - button: A way back to the client. Nil when the person came from another device.
    ///   - formTargets: Where a form in `button` may be sent.
    /// - Returns: The page.
    func refusalPage(
        _ refusal: ClientRefusal, _ client: RegisteredClient, _ visitor: SignedInBrowser, returningTo path: String,
        _ button: HTML? = nil, formTargets: WebPage.FormTargets = .own
    ) -> ServerResponse {
        let contact = services.settings.pages.contact ?? "an administrator of this server"
        let (title, sentence): (String, String) =
            switch refusal {
            case .waitsForApproval:
                (
                    "\(client.name) waits for approval by an administrator",
                    "The app registered itself, and nobody can sign in to it before an administrator has approved it. Ask "
                        + "\(contact), and sign in again afterwards."
                )
            case .approvalRefused:
                (
                    "\(client.name) was refused by an administrator",
                    "The app registered itself, and an administrator decided that nobody can sign in to it. If you need "
                        + "it, ask \(contact)."
                )
            case .notAdmitted:
                (
                    "You may not sign in to \(client.name)",
                    "Only some people may sign in to it, and your account is not one of theirs. If you need it, ask "
                        + "\(contact)."
                )
            case .weakAuthentication:
                (
                    "Your sign-in is not strong enough for \(client.name)",
                    "It requires a sign-in with several factors, such as a password and a code. Sign in with an identity "
                        + "provider that asks for them. If you have none, ask \(contact)."
                )
            }
        var page = WebPage(
            title: title,
            """
            <p>\(sentence)</p>
            <p class="quiet">You are signed in as <strong>\(visitor.person.email)</strong>.</p>
            \(button)
            <p><a class="button block other" href="\(link: pages.prefix + PagePath.account)">Go to your account</a></p>
            \(pages.notYou(visitor.session.id, returningTo: path))
            """)
        page.server = services.settings.pages.title
        // The form to sign out is for this server.
        page.formTargets = formTargets == .none ? .own : formTargets
        return page.response(status: .forbidden)
    }
}
