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

    /// Returns the page that asks whether a client may sign in with the person's account.
    ///
    /// The page names the client, what it gets and where the browser goes afterwards. It cannot be framed, and its form
    /// is bound to the person's session.
    ///
    /// Source: RFC 6749 §10.2 and §10.13; RFC 9700 §4.16.
    func consentPage(
        _ parameters: AuthorizationParameters, _ pending: PendingRequest, handle: String?, _ visitor: SignedInBrowser
    ) throws -> ServerResponse {
        let box = try pending.sealed(keys.state, for: Self.purpose(visitor.session.id, handle))
        let visit = visitor.session.id
        let lines: [HTML] = parameters.grant.phrases.map { "<li>\($0)</li>" }
        var page = WebPage(
            title: "Allow \(parameters.client.name)?",
            """
            <p><strong>\(parameters.client.name)</strong> wants to sign in with your account \
            <strong>\(visitor.person.email)</strong>. It will be able to:</p>
            <ul>\(lines)</ul>
            <p class="quiet">Afterwards you return to <strong>\(parameters.destination.shownRedirect)</strong>. Allow \
            this only if you have just started the sign-in yourself. You can remove the access on your account page.</p>
            <form method="post" action="\(link: prefix + Self.authorization)">
            \(PageRoutes.hidden(pages.tokens.token(ofSession: visit)))
            <input type="hidden" name="request" value="\(Base64URL.encode(box))">
            <input type="hidden" name="handle" value="\(handle ?? "")">
            <p><button type="submit" class="full" name="\(Self.decision)" value="allow">Allow</button></p>
            <p><button type="submit" class="full other" name="\(Self.decision)" value="deny">Do not allow</button></p>
            </form>
            """)
        page.server = services.settings.pages.title
        page.formTargets = .own(andOn: [parameters.destination.formOrigin])
        return page.response()
    }

    /// Receives the decision of the person.
    func decided(_ visit: SignedInRequest) async throws -> ServerResponse {
        let handle = visit.fields["handle"].flatMap { $0.isEmpty ? nil : $0 }
        guard let box = visit.fields["request"].flatMap(Base64URL.decode),
            let pending = PendingRequest(opening: box, keys.state, for: Self.purpose(visit.session.id, handle)),
            services.now() < pending.expires, let fields = pending.fields
        else { return unknownRequest }
        let destination: AuthorizationParameters.Destination
        do {
            destination = try await AuthorizationParameters.destination(fields) {
                try await services.clients.client($0)
            }
        } catch let error as AuthorizationParameters.InvalidClient {
            return invalid(error)
        }
        // A stored request is good for one decision.
        if let handle {
            guard try await self.pending.take(handle) != nil else { return unknownRequest }
        }
        do {
            let parameters = try AuthorizationParameters(fields, to: destination, isResource: isResource)
            guard visit.fields[Self.decision] == "allow" else { throw AuthorizationError.accessDenied }
            try await services.clients.allow(parameters.grant, by: visit.person.id)
            services.audit.record(
                AuditEvent(
                    .clientAllowed, person: visit.person.id, session: visit.session.id,
                    address: services.proxies.client(of: visit.request).description, request: visit.request.id,
                    client: parameters.client.id))
            return try await finish(parameters, for: visit.session, visit.request)
        } catch let error as AuthorizationError {
            return respond(to: destination, error, visit.request)
        }
    }

    /// What the request in a consent form is sealed for: one session, and one stored request.
    private static func purpose(_ session: SessionID, _ handle: String?) -> [UInt8] {
        Array("consent \(session.rawValue) \(handle ?? "")".utf8)
    }
}

extension AuthorizationParameters.Destination {
    /// Where the browser goes afterwards, for people: the host, this device, or an app.
    var shownRedirect: String {
        let scheme = redirect.prefix { $0 != ":" }
        guard scheme == "https" || scheme == "http" else { return "an app on this device" }
        guard scheme == "https" else { return "a program on this device" }
        return String(redirect.dropFirst(8).prefix { $0 != "/" && $0 != "?" })
    }
}
