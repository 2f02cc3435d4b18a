import Crypto
import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import GatewayPages
import HTTPMessages
import HTTPServer
import SignInBridge

extension OAuthRoutes {
    /// The name of the field with the decision.
    static let decision = "decision"
    /// The name of the field with the ``RegisteredClient/shownDigest`` of the client that the person sees.
    static let shownClient = "shown_client"

    /// Returns the page that asks whether a client may sign in with the person's account.
    ///
    /// The page names the client, what it gets and where the browser goes afterwards. It cannot be framed, and its form
    /// is bound to the person's session. The request itself is not in the form; see ``PendingRequests``. `path` opens the
    /// page again, for a person who signs out first.
    ///
    /// Source: RFC 6749 §10.2 and §10.13; RFC 9700 §4.16.
    func consentPage(
        _ parameters: AuthorizationParameters, _ handle: String, _ visitor: SignedInBrowser, at path: String
    ) -> ServerResponse {
        let visit = visitor.session.id
        let staysSignedIn = parameters.client.settings.issuesRefreshTokens
        let lines: [HTML] = parameters.grant.phrases(staysSignedIn: staysSignedIn).map { "<li>\($0)</li>" }
        var page = WebPage(
            title: "Allow \(parameters.client.name)?",
            """
            <p><strong>\(parameters.client.name)</strong> wants to sign in with your account \
            <strong>\(visitor.person.email)</strong>. It will be able to:</p>
            <ul>\(lines)</ul>
            \(Self.unverifiedNote(parameters.client))
            <p class="quiet">Afterwards you return to <strong>\(parameters.destination.shownRedirect)</strong>. Allow \
            this only if you have just started the sign-in yourself. You can remove the access on your account page.</p>
            <form method="post" action="\(link: prefix + Self.authorization)">
            \(PageRoutes.hidden(pages.tokens.token(ofSession: visit)))
            <input type="hidden" name="handle" value="\(handle)">
            <input type="hidden" name="\(Self.shownClient)" value="\(parameters.client.shownDigest)">
            <p><button type="submit" class="block" name="\(Self.decision)" value="allow">Allow</button></p>
            <p><button type="submit" class="block other" name="\(Self.decision)" value="deny">Do not allow</button></p>
            </form>
            \(pages.notYou(visit, returningTo: path))
            """)
        page.server = services.settings.pages.title
        page.formTargets = .own
        return page.response()
    }

    /// Receives the decision of the person. A request is good for one decision: afterwards its browser has no cookie. If
    /// the client has changed its name since, or is not an approved one any more, the person decides again.
    func decided(_ visit: SignedInRequest) async throws -> ServerResponse {
        let handle = visit.fields["handle"] ?? ""
        guard let pending = try await pending.take(handle, from: visit.request), let fields = pending.fields else {
            return unknownRequest
        }
        return try await self.pending.usingUp(handle, from: visit.request) {
            try await responding(fields, visit.request) { destination in
                try await decided(visit, Authorization(pending: pending, handle: handle), fields, destination)
            }
        }
    }

    private func decided(
        _ visit: SignedInRequest, _ authorization: Authorization, _ fields: FormFields,
        _ destination: AuthorizationParameters.Destination
    ) async throws -> ServerResponse {
        let parameters = try parameters(fields, to: destination)
        guard visit.fields[Self.decision] == "allow" else { throw AuthorizationError.accessDenied }
        // The sender of the form may not have seen the page.
        let hint = try await hint(fields)
        if let signIn = try await reauthentication(visit.visitor, parameters, authorization, hint, visit.request) {
            return signIn
        }
        if let refusal = parameters.client.refusal(of: visit.session) {
            return try await refuse(visit.visitor, refusal, parameters, authorization, visit.request)
        }
        guard visit.fields[Self.shownClient] == parameters.client.shownDigest else {
            return try await keep(authorization, for: visit.request) { handle in
                consentPage(parameters, handle, visit.visitor, at: returnPath(authorization, handle))
            }
        }
        try await allow(parameters.grant, named: parameters.client.name, visit)
        services.audit.record(
            AuditEvent(
                .clientAllowed, person: visit.person.id, session: visit.session.id,
                address: services.proxies.client(of: visit.request).description, request: visit.request.id,
                client: parameters.client.id))
        return try await finish(parameters, for: visit.session, visit.request)
    }

    /// Stores that a person allowed a grant, and records which access ended in favor of it.
    func allow(_ grant: ClientGrant, named name: String?, _ visit: SignedInRequest) async throws {
        for client in try await services.clients.allow(grant, by: visit.person.id, named: name) {
            services.audit.record(
                AuditEvent(
                    .clientWithdrawn, reason: "too-many-of-person", person: visit.person.id, session: visit.session.id,
                    address: services.proxies.client(of: visit.request).description, request: visit.request.id,
                    client: client))
        }
    }
}

extension AuthorizationParameters.Destination {
    /// Where the browser goes afterwards, for people.
    var shownRedirect: String { AddressName.text(of: redirect) }
}
