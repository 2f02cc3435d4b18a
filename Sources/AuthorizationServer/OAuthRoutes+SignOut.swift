import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import GatewayPages
import HTTPMessages
import HTTPServer
import SignInBridge

extension OAuthRoutes {
    /// Adds the endpoint to which clients send a browser that should be signed out, with GET or POST, and the form of
    /// its page.
    ///
    /// Source: OpenID Connect RP-Initiated Logout 1.0 §2.
    func addSignOut(to router: inout Router) {
        let path = prefix + Self.endSession
        router.on(.get, path) { request in
            await pages.response(request) {
                if let refusal = limited(request) { return refusal }
                let fields = request.rawQuery.flatMap { try? FormURLEncoded.decode($0) } ?? FormFields()
                return try await endSession(fields, request)
            }
        }
        router.on(.post, path) { request in
            await pages.response(request) {
                if let refusal = limited(request) { return refusal }
                let form = (try? request.form()) ?? FormFields()
                guard form[Self.decision] != nil else { return try await posted(form, request) }
                return try await pages.submitted(request, mayChangePassword: true, change: nil) { visit in
                    let parameters = try await SignOutParameters(visit.fields, self)
                    guard let parameters else { return invalidSignOut }
                    return try await finish(parameters, visit.visitor, request, isConfirmed: true)
                }
            }
        }
    }

    /// Signs the browser out, or asks the person first. Browsers send no cookie with a form of another site, but with the
    /// next request of a page of this server, whose address does not contain the ID token.
    private func posted(_ form: FormFields, _ request: ServerRequest) async throws -> ServerResponse {
        guard try await pages.visitor(of: request) == nil else { return try await endSession(form, request) }
        guard let parameters = try await SignOutParameters(form, self) else { return invalidSignOut }
        var pairs = parameters.fields.pairs.filter { $0.name != "id_token_hint" && $0.name != "client_id" }
        if let client = parameters.client { pairs.append(("client_id", client.id)) }
        return services.redirectPages.continuing(
            to: prefix + Self.endSession + "?" + FormURLEncoded.encode(pairs.map { ($0.name, $0.value) }),
            title: "Sign out", after: request.method)
    }

    /// Signs the browser out, or asks the person first.
    private func endSession(_ fields: FormFields, _ request: ServerRequest) async throws -> ServerResponse {
        guard let parameters = try await SignOutParameters(fields, self) else { return invalidSignOut }
        guard let visitor = try await pages.visitor(of: request) else { return signedOut(parameters, request) }
        // The token shows that a client asks to which the person signed in in this browser, and that the person is still
        // signed in there. Any other page could send the browser here.
        if let session = parameters.hint?.session, parameters.client?.registration == nil,
            try await sessions.isLive(session, from: visitor.session.id)
        {
            return try await finish(parameters, visitor, request)
        }
        return confirmation(parameters, visitor)
    }

    private func finish(
        _ parameters: SignOutParameters, _ visitor: SignedInBrowser, _ request: ServerRequest,
        isConfirmed: Bool = false
    ) async throws -> ServerResponse {
        try await pages.end(visitor, request)
        var response = signedOut(parameters, request, isConfirmed: isConfirmed)
        response.headers.append("Set-Cookie", pages.cookie.end)
        return response
    }

    /// Returns the browser to the client, or shows that the person is signed out. To a client that registered itself
    /// the browser returns only if the person has confirmed the sign-out.
    ///
    /// Source: OpenID Connect RP-Initiated Logout 1.0 §3.
    private func signedOut(
        _ parameters: SignOutParameters, _ request: ServerRequest, isConfirmed: Bool = false
    ) -> ServerResponse {
        guard let redirect = parameters.redirect else { return pages.seeOther(PagePath.signIn + "?done=out") }
        let link = DeepLink.link(redirect, parameters.state.map { [("state", $0)] } ?? [])
        if let client = parameters.client, client.registration != nil, !isConfirmed {
            return unverifiedSignOutPage(client, redirect: redirect, link: link)
        }
        return services.redirectPages.continuing(to: link, title: "You are signed out", after: request.method)
    }

    private func confirmation(_ parameters: SignOutParameters, _ visitor: SignedInBrowser) -> ServerResponse {
        let fields: [HTML] = parameters.fields.pairs.map {
            "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">"
        }
        let name = parameters.client?.name ?? "Another site"
        var page = WebPage(
            title: "Sign out?",
            """
            <p><strong>\(name)</strong> asks to sign you out of this server. You are signed in as \
            <strong>\(visitor.person.email)</strong>.</p>
            <form method="post" action="\(link: prefix + Self.endSession)">
            \(PageRoutes.hidden(pages.tokens.token(ofSession: visitor.session.id)))
            \(fields)
            <p><button type="submit" class="block" name="\(Self.decision)" value="sign-out">Sign out</button></p>
            </form>
            <p><a class="button block other" href="\(link: pages.prefix + PagePath.account)">Stay signed in</a></p>
            """)
        page.server = services.settings.pages.title
        page.formTargets = .own
        return page.response()
    }

    /// The page for a request whose client or address is not valid. The browser is not redirected.
    private var invalidSignOut: ServerResponse {
        pages.plain(
            .badRequest, title: "The app cannot sign you out",
            sentence:
                "The app that sent you here sent a wrong address or client_id. You can sign out on your account page.")
    }
}

/// The valid parameters of a request to sign a browser out.
///
/// Source: OpenID Connect RP-Initiated Logout 1.0 §2.
struct SignOutParameters: Sendable {
    /// The client that asks. Nil when it is not known.
    let client: RegisteredClient?
    /// The verified ID token. Nil when there is none.
    let hint: IDTokenHint?
    /// Where the browser returns.
    let redirect: String?
    let state: String?
    /// The parameters as they were sent.
    let fields: FormFields

    private static let names: Set = ["id_token_hint", "client_id", "post_logout_redirect_uri", "state"]
    private static let maximumCount = 8_192
    private static let maximumStateCount = 1_024

    /// Returns the parameters of a request that this server reads.
    static func read(_ fields: FormFields) -> FormFields { FormFields(fields.pairs.filter { names.contains($0.name) }) }

    /// Checks the parameters. Nil when the browser can neither be redirected nor asked because of them.
    init?(_ fields: FormFields, _ routes: OAuthRoutes) async throws {
        let fields = Self.read(fields)
        guard !fields.repeatsName(except: ""),
            FormURLEncoded.encode(fields.pairs.map { ($0.name, $0.value) }).utf8.count <= Self.maximumCount,
            fields["state"].map({ $0.utf8.count <= Self.maximumStateCount }) ?? true
        else { return nil }
        hint = try await routes.hint(fields)
        let id = fields["client_id"] ?? hint?.client
        if let id, let hint, ExactText(id) != ExactText(hint.client) { return nil }
        client = id.map { $0.utf8.count <= 255 } ?? false ? try await routes.services.clients.client(id ?? "") : nil
        guard id == nil || client != nil else { return nil }
        redirect = fields["post_logout_redirect_uri"]
        if let redirect {
            // Compared exactly, also the port.
            guard client?.signOut.redirects.contains(where: { ExactText($0) == ExactText(redirect) }) ?? false else {
                return nil
            }
        }
        state = fields["state"]
        self.fields = fields
    }
}
