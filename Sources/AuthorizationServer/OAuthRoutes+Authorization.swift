import Crypto
import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import GatewayPages
import HTTPMessages
import HTTPServer
import OAuth
import Primitives
import SignInBridge

extension OAuthRoutes {
    /// Adds the authorization endpoint: the start of a sign-in, with GET or POST, and the form of the consent page.
    ///
    /// Source: RFC 6749 §3.1; OpenID Connect Core §3.1.2.1 for POST.
    func addAuthorization(to router: inout Router) {
        let path = prefix + Self.authorization
        router.on(.get, path) { request in
            await pages.response(request) {
                let fields = request.rawQuery.flatMap { try? FormURLEncoded.decode($0) }
                return try await authorize(fields ?? FormFields(), request)
            }
        }
        router.on(.post, path) { request in
            await pages.response(request) {
                let form = try? request.form()
                guard form?[Self.decision] != nil else { return try await authorize(form ?? FormFields(), request) }
                return try await pages.submitted(request) { try await decided($0) }
            }
        }
    }

    /// Starts or continues a sign-in.
    private func authorize(_ fields: FormFields, _ request: ServerRequest) async throws -> ServerResponse {
        if let refusal = limited(request) { return refusal }
        let fields = fields.withValues
        guard fields["request_uri"] != nil else {
            guard let client = fields["client_id"] else { return invalid(.client, fields, request) }
            let received = PendingRequest(fields, client: client, received: services.now(), isPushed: false)
            return try await authorize(Authorization(pending: received), request)
        }
        let (addresses, clients) = (fields.values("request_uri"), fields.values("client_id"))
        guard clients.count == 1 else { return invalid(.client, fields, request) }
        guard addresses.count == 1, addresses[0].hasPrefix(PendingRequest.prefix) else {
            return try await responding(fields, request) { _ in throw AuthorizationError.requestURINotSupported }
        }
        let handle = String(addresses[0].dropFirst(PendingRequest.prefix.utf8.count))
        guard var pending = try await self.pending.take(handle, from: request) else { return unknownRequest }
        pending.open(at: services.now())
        return try await self.pending.usingUp(handle, from: request) {
            // A handle that another client sends is used up.
            guard ExactText(pending.client) == ExactText(clients[0]) else { return unknownRequest }
            return try await authorize(Authorization(pending: pending, handle: handle), request)
        }
    }

    /// A request, and its handle if it has waited before.
    struct Authorization {
        let pending: PendingRequest
        var handle: String?
    }

    private func authorize(_ authorization: Authorization, _ request: ServerRequest) async throws -> ServerResponse {
        guard let fields = authorization.pending.fields else { return unknownRequest }
        return try await responding(fields, request) { destination in
            guard authorization.handle != nil || !destination.client.settings.requiresPushedRequests else {
                throw AuthorizationError.invalidRequest(
                    "The client must push its requests: send the parameters to \(prefix)\(Self.pushed) first.")
            }
            var parameters = try parameters(fields, to: destination)
            parameters.isInFrame = request.isInFrame
            return try await proceed(parameters, authorization, try await hint(fields), request)
        }
    }

    /// Returns where the response to a request goes.
    ///
    /// - Throws: ``AuthorizationParameters/InvalidClient``; the errors of `find`.
    func destination(
        _ fields: FormFields, _ find: (String) async throws -> RegisteredClient?
    ) async throws -> AuthorizationParameters.Destination {
        try await AuthorizationParameters.destination(
            fields, isOwn: { services.settings.ownHost(ofRedirect: $0) != nil }, find)
    }

    /// Finds where the response to a request goes, and returns the response of `body`. Errors of `body` are returned to
    /// the client.
    func responding(
        _ fields: FormFields, _ request: ServerRequest,
        _ body: (AuthorizationParameters.Destination) async throws -> ServerResponse
    ) async throws -> ServerResponse {
        let destination: AuthorizationParameters.Destination
        do {
            destination = try await self.destination(fields) { try await services.clients.client($0) }
        } catch let error as AuthorizationParameters.InvalidClient {
            return invalid(error, fields, request)
        }
        do {
            return try await body(destination)
        } catch let error as AuthorizationError {
            if error.isMistake { recordRefusal(of: destination.client.id, error.sentence, request) }
            return respond(to: destination, error, request)
        }
    }

    /// Lets the person sign in, authenticate again or decide, or finishes the sign-in when nothing of that is needed.
    private func proceed(
        _ parameters: AuthorizationParameters, _ authorization: Authorization, _ hint: IDTokenHint?,
        _ request: ServerRequest
    ) async throws -> ServerResponse {
        // Browsers send no cookie with a form of another site, but with the next request of a page of this server.
        guard request.method != .post else {
            // To keep requests for frames would let a page with many of them use up what its visitor's address may keep.
            guard !parameters.isInFrame else { throw AuthorizationError.loginRequired }
            return try await keep(authorization, for: request) { handle in
                services.redirectPages.continuing(
                    to: returnPath(authorization, handle), title: "Sign in for \(parameters.client.name)",
                    after: request.method)
            }
        }
        let mayInteract = parameters.mayInteract
        guard let visitor = try await pages.visitor(of: request) else {
            guard mayInteract else { throw AuthorizationError.loginRequired }
            return try await signIn(authorization, again: false, request)
        }
        guard !visitor.mustChangePassword else {
            guard mayInteract else { throw AuthorizationError.interactionRequired }
            return try await keep(authorization, for: request) { handle in
                let back = returnPath(authorization, handle)
                return pages.seeOther(PagePath.password + "?" + FormURLEncoded.encode([("return", back)]))
            }
        }
        if let signIn = try await reauthentication(visitor, parameters, authorization, hint, request) { return signIn }
        if let refusal = parameters.client.refusal(of: visitor.session) {
            return try await refuse(visitor, refusal, parameters, authorization, request)
        }
        let mustAsk =
            parameters.prompts.contains(.consent) || parameters.prompts.contains(.selectAccount)
            || parameters.client.registration != nil
        if !mustAsk, parameters.destination.identifiesClient,
            try await services.clients.isAllowed(parameters.grant, by: visitor.person.id)
        {
            return try await finish(parameters, for: visitor.session, request)
        }
        guard mayInteract else { throw AuthorizationError.consentRequired }
        return try await keep(authorization, for: request) { handle in
            consentPage(parameters, handle, visitor, at: returnPath(authorization, handle))
        }
    }

    /// Returns the redirect to the sign-in page when the person must authenticate again for a request, and nil when the
    /// person need not. It is asked when a request is opened, and again when the person decides.
    func reauthentication(
        _ visitor: SignedInBrowser, _ parameters: AuthorizationParameters, _ authorization: Authorization,
        _ hint: IDTokenHint?, _ request: ServerRequest
    ) async throws -> ServerResponse? {
        var isRecent =
            visitor.session.isSignIn && isRecent(visitor.session, parameters, authorization.pending)
        if isRecent { isRecent = try await isRecentForLastingAccess(visitor.session, parameters) }
        guard !isRecent || parameters.hasHint && !isHinted(visitor, hint, parameters) else { return nil }
        // A person who signs in again for this request may still be somebody else.
        guard !parameters.hasHint || !Self.isLater(visitor.session, than: authorization.pending.received),
            parameters.mayInteract
        else { throw AuthorizationError.loginRequired }
        return try await signIn(authorization, again: true, request)
    }

    /// Whether the person has authenticated as recently as the client asks for.
    ///
    /// Source: OpenID Connect Core §3.1.2.1, `prompt` and `max_age`.
    private func isRecent(
        _ session: Session, _ parameters: AuthorizationParameters, _ pending: PendingRequest
    ) -> Bool {
        let isLater = Self.isLater(session, than: pending.received)
        if parameters.prompts.contains(.login), !isLater { return false }
        // A level is voluntary: another sign-in is tried once, unless the person must not be asked.
        if let level = parameters.level, session.methods.level < level, !isLater, parameters.mayInteract {
            return false
        }
        guard let age = parameters.maximumAge else { return true }
        return isLater || services.now() <= session.authenticated + age
    }

    /// Whether the person has signed in recently, if somebody with a stolen session of theirs could receive the tokens and
    /// keep them after the person has ended that session: those of a client that registered itself, until the person has
    /// allowed it, and those at an address that any program can have. All other clients have redirects that an
    /// administrator has chosen or approved, where other programs receive nothing; their people are not asked again.
    private func isRecentForLastingAccess(
        _ session: Session, _ parameters: AuthorizationParameters
    ) async throws -> Bool {
        let client = parameters.client
        if try await services.isRecentEnough(for: .allowApp, session) { return true }
        guard parameters.destination.identifiesClient else { return false }
        guard client.isUnverified else { return true }
        return try await services.clients.isAllowed(
            parameters.grant, by: session.person.id, named: client.selfChosenName)
    }

    /// Whether the person has authenticated because of a request that was received at a time. The clock of an identity
    /// provider may differ. A person who has done so is recent enough, whatever the age.
    static func isLater(_ session: Session, than received: Date) -> Bool {
        session.created >= received && session.authenticated >= received - ClockDifference.tolerated
    }

    /// Whether the person is the one of the request's ID token. A token that cannot be verified any more is ignored,
    /// unless the person must not be asked.
    ///
    /// Source: OpenID Connect Core §3.1.2.1 and §3.1.2.2.
    private func isHinted(
        _ visitor: SignedInBrowser, _ hint: IDTokenHint?, _ parameters: AuthorizationParameters
    ) -> Bool {
        guard let hint, ExactText(hint.client) == ExactText(parameters.client.id) else {
            return parameters.mayInteract
        }
        return hint.person == visitor.person.id
    }

    /// Redirects the browser to the sign-in page, which later leads back to this request.
    private func signIn(
        _ authorization: Authorization, again: Bool, _ request: ServerRequest
    ) async throws -> ServerResponse {
        try await keep(authorization, for: request) { handle in
            let back = returnPath(authorization, handle)
            let hint = authorization.pending.fields?[PagePath.loginHint]
            return pages.seeOther(
                PagePath.signIn(returningTo: back, requiresReauthentication: again, hint: hint))
        }
    }

    /// Keeps a request until the browser returns to it, and returns the response of `body`, which gets the handle.
    func keep(
        _ authorization: Authorization, for request: ServerRequest, _ body: (String) -> ServerResponse
    ) async throws -> ServerResponse {
        let kept = try await pending.keep(authorization.pending, as: authorization.handle, for: request)
        var response = body(kept.handle)
        if let cookie = kept.cookie { response.headers.append("Set-Cookie", cookie) }
        return response
    }

    /// The path and query that continue a request.
    func returnPath(_ authorization: Authorization, _ handle: String) -> String {
        prefix + Self.authorization + "?"
            + FormURLEncoded.encode([
                ("client_id", authorization.pending.client), ("request_uri", PendingRequest.prefix + handle),
            ])
    }

    /// Issues a code and leads the browser to the client.
    func finish(
        _ parameters: AuthorizationParameters, for session: Session, _ request: ServerRequest
    ) async throws -> ServerResponse {
        let code = OneTimeCode()
        let lifetime = services.settings.bridge.codeLifetime + codes.toleratedClockDifference
        let record = AuthorizationCode(parameters, allowedIn: session, expires: services.now() + lifetime)
        // Longer than it is valid, so that a code that expires during its exchange is not taken for one that was sent twice.
        try await codes.save(
            try record.sealed(for: code, keys), under: code.key, for: lifetime + ClockDifference.tolerated,
            of: .clients(of: session.person.id))
        return respond(to: parameters.destination, [("code", code.text)], request)
    }

    /// Returns an error to the client. Only an action of the person sends the browser to a client that registered itself:
    /// the decision, or a link on a page.
    func respond(
        to destination: AuthorizationParameters.Destination, _ error: AuthorizationError, _ request: ServerRequest
    ) -> ServerResponse {
        let pairs = [("error", error.code), ("error_description", error.sentence)]
        guard destination.client.registration == nil || error == .accessDenied else {
            return unverifiedPage(destination, pairs, error.sentence)
        }
        return respond(to: destination, pairs, failure: error.sentence, request)
    }

    /// Returns a response to the client, with the state of the request and the issuer.
    ///
    /// Source: RFC 9207 §2; OAuth 2.0 Form Post Response Mode.
    private func respond(
        to destination: AuthorizationParameters.Destination, _ pairs: [(String, String)], failure: String? = nil,
        _ request: ServerRequest
    ) -> ServerResponse {
        let pairs = allPairs(pairs, of: destination)
        switch destination.mode {
        case .query:
            let (pages, link) = (services.redirectPages, DeepLink.link(destination.redirect, pairs))
            if let failure { return pages.returningWithoutSuccess(to: link, failure, after: request.method) }
            return destination.identifiesClient
                ? pages.continuing(to: link, title: "You are signed in", after: request.method)
                : pages.returning(to: link, after: request.method)
        case .formPost: return formPage(destination, pairs)
        }
    }

    /// Adds the state and the issuer.
    func allPairs(
        _ pairs: [(String, String)], of destination: AuthorizationParameters.Destination
    ) -> [(String, String)] {
        pairs + (destination.state.map { [("state", $0)] } ?? []) + [("iss", issuer)]
    }

    private func formPage(
        _ destination: AuthorizationParameters.Destination, _ pairs: [(String, String)]
    ) -> ServerResponse {
        var page = WebPage(
            title: "You can return to \(destination.client.name)", destination.form(pairs, button: "Continue"))
        page.server = services.settings.pages.title
        page.script = WebPage.submitScript
        page.formTargets = .anywhere
        return page.response()
    }
}

extension OAuthRoutes {
    /// Returns the page for a request whose client or redirect address is not valid. The browser is not redirected,
    /// because the address may be an attacker's. The page shows what was sent, for the developers.
    ///
    /// Source: RFC 6749 §4.1.2.1; RFC 9700 §4.11.
    func invalid(
        _ error: AuthorizationParameters.InvalidClient, _ fields: FormFields, _ request: ServerRequest
    ) -> ServerResponse {
        let (id, redirect) = (fields["client_id"], fields["redirect_uri"])
        let sentence: String
        switch error {
        case .client:
            sentence =
                "The app that sent you here is not known to this server. Tell its developers that the client_id is "
                + "missing or wrong."
            recordRefusal(of: id, "unknown-client", request)
        case .redirect:
            sentence =
                "The app that sent you here wants you to return to an address that it has not registered. Tell its "
                + "developers that the redirect_uri is missing or wrong."
            recordRefusal(of: id, "unregistered-redirect", redirect: redirect, request)
        }
        return pages.card(
            .badRequest, title: "The app cannot sign you in",
            """
            <p>\(sentence)</p>
            <dl>
            <dt>client_id</dt><dd>\(id?.displayName(limit: 100) ?? "missing")</dd>
            <dt>redirect_uri</dt><dd>\(redirect?.displayName(limit: 200) ?? "missing")</dd>
            </dl>
            <p><a class="button block" href="\(link: pages.prefix + PagePath.account)">Go to your account</a></p>
            """)
    }

    /// The page for a stored request that is used up, has expired, or belongs to another client.
    var unknownRequest: ServerResponse {
        pages.plain(
            .badRequest, title: "The sign-in has ended",
            sentence: "It took too long, or it was completed before. Go back to the app and sign in there again.")
    }
}

extension AuthorizationParameters.Destination {
    /// Whether nobody else can receive the response for this client, so that a person who has allowed the client before
    /// need not be asked again. Any app can register a private-use scheme or listen at a loopback address.
    ///
    /// Source: RFC 8252 §8.6; RFC 9700 §4.13.
    var identifiesClient: Bool { redirect.hasPrefix("https://") }
}

extension ServerRequest {
    /// Whether the browser loads the response into a frame.
    ///
    /// Source: W3C Fetch Metadata §2.1.
    fileprivate var isInFrame: Bool { ["iframe", "frame"].contains(headers["Sec-Fetch-Dest"] ?? "") }
}
