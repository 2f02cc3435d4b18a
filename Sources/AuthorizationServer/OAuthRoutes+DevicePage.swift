import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import GatewayPages
import HTTPMessages
import HTTPServer

/// The page on which a person allows a device without a browser to sign in.
///
/// An attacker can start a sign-in and send the code to a person. So nothing is decided before the person has seen who
/// asks for what, and has pressed a button.
///
/// Source: RFC 8628 §3.3 and §5.4.
extension OAuthRoutes {
    /// The name of the field with the code.
    static let userCode = "user_code"

    /// Adds the page, its form for the code, and its form for the decision.
    func addDevicePage(to router: inout Router) {
        let path = prefix + Self.device
        router.on(.get, path) { request in
            await pages.response(request) { try await pages.visited(request) { codePage($0) } }
        }
        router.on(.post, path) { request in
            await pages.response(request) { try await pages.submitted(request) { try await entered($0) } }
        }
    }

    /// Returns the page that asks for the code. A code in the query is filled in, but not looked up: an address alone does
    /// nothing.
    private func codePage(_ visit: SignedInRequest) -> ServerResponse {
        let code = visit.request.query(Self.userCode).flatMap { UserCode(typed: $0) }?.shown
        return page(
            "Sign in on a device",
            """
            <p>A device or program shows a code of 8 letters. Enter it only if you have just started the sign-in there \
            yourself.</p>
            <form method="post" action="\(link: prefix + Self.device)">
            \(pages.hidden(visit))
            <div class="field">
            <label for="\(Self.userCode)">Code</label>
            <input id="\(Self.userCode)" name="\(Self.userCode)" type="text" autocomplete="off" \
            autocapitalize="characters" spellcheck="false"\(attribute: "value", code)\(flag: "required", true)\(flag: "autofocus", true)>
            </div>
            <p><button type="submit" class="block">Continue</button></p>
            </form>
            <p class="quiet">You are signed in as \(visit.person.email).</p>
            \(pages.notYou(visit.session.id, returningTo: devicePath(code)))
            """)
    }

    /// The path of the page, and the query that fills in a code.
    private func devicePath(_ code: String?) -> String {
        prefix + Self.device + (code.map { "?\(Self.userCode)=\($0)" } ?? "")
    }

    /// Receives a code, and the decision of the person if the form has one.
    ///
    /// Each code that is not valid counts as a failed sign-in of the person and of the address, because it may be guessed.
    ///
    /// Source: RFC 8628 §5.1.
    private func entered(_ visit: SignedInRequest) async throws -> ServerResponse {
        let client = pages.client(of: visit.request)
        switch try await services.attempts.reserve(from: client.address, guessing: .deviceCodes(of: visit.person.id)) {
        case .refused(let wait): return tooManyCodes(wait)
        case .granted(let reservation):
            let response: ServerResponse?
            do {
                response = try await answer(visit)
            } catch {
                services.attempts.release(reservation)
                throw error
            }
            if let response {
                // Not a success, which would clear the failures: anybody can get valid codes.
                services.attempts.release(reservation)
                return response
            }
            try await services.signIn.fail(
                reservation, reason: "unknown-user-code", person: visit.person.id, from: client)
            return unknownCode
        }
    }

    /// Returns the response to a form with a code. Nil when no request that waits has the code.
    private func answer(_ visit: SignedInRequest) async throws -> ServerResponse? {
        guard let code = visit.fields[Self.userCode].flatMap({ UserCode(typed: $0) }),
            let asked = try await devices.find(code)
        else { return nil }
        let client = try await services.clients.client(asked.grant.client)
        guard try await isAuthenticated(visit.session, asFor: asked, of: client) else {
            return pages.seeOther(
                PagePath.signIn(returningTo: devicePath(code.shown), requiresReauthentication: true))
        }
        if let client, let refusal = client.refusal(of: visit.session) {
            record(refusal, of: visit.visitor, client, visit.request)
            guard try await decide(code, nil, visit) != nil else { return nil }
            return refusalPage(refusal, client, visit.visitor, returningTo: devicePath(nil))
        }
        switch visit.fields[Self.decision] {
        case nil: return decisionPage(asked, code, client, visit)
        // What the person saw is not the client any more.
        case "allow" where visit.fields[Self.shownClient] != Self.shownDigest(client):
            return decisionPage(asked, code, client, visit)
        case "allow":
            // First, because the device may ask for its tokens as soon as the decision is stored.
            if asked.dialect == nil {
                try await allow(asked.grant, named: client?.name, visit)
            }
            return try await decide(code, DeviceApproval(in: visit.session), visit)
        default: return try await decide(code, nil, visit)
        }
    }

    /// Whether the person has authenticated as recently and as strongly as the request of a device needs. What the device
    /// itself asks for is tried once: a person who signs in for the request has done enough.
    ///
    /// Every device needs a recent sign-in of a person with a password, because its session goes on when the person ends
    /// the one in which it was allowed.
    private func isAuthenticated(
        _ session: Session, asFor asked: DeviceRequest, of client: RegisteredClient?
    ) async throws -> Bool {
        let action = asked.dialect.flatMap { deviceDialects[$0] }?.deviceAction ?? .allowDevice
        guard session.isSignIn, try await services.isRecentEnough(for: action, session) else { return false }
        guard !Self.isLater(session, than: asked.created) else { return true }
        let levels = [asked.level, client?.settings.level].compactMap { $0 }
        let ages = [asked.maximumAge, client?.settings.maximumAge].compactMap { $0 }
        return levels.allSatisfy { session.methods.level >= $0 }
            && ages.allSatisfy { services.now() <= session.authenticated + $0 }
    }

    /// The name of the client of a request.
    private func name(of asked: DeviceRequest) async throws -> String {
        try await services.clients.client(asked.grant.client)?.name ?? asked.grant.client
    }

    /// Returns the page that names the device and what it gets, and asks for the decision. The decision is bound to the
    /// session of the person, and the page cannot be framed.
    private func decisionPage(
        _ asked: DeviceRequest, _ code: UserCode, _ client: RegisteredClient?, _ visit: SignedInRequest
    ) -> ServerResponse {
        let name = client?.name ?? asked.grant.client
        let lines: [HTML] = phrases(asked, staysSignedIn: client?.settings.issuesRefreshTokens ?? true).map {
            "<li>\($0)</li>"
        }
        return page(
            "Allow \(name)?",
            """
            <p><strong>\(name)</strong> on another device wants to sign in with your account \
            <strong>\(visit.person.email)</strong>. It will be able to:</p>
            <ul>\(lines)</ul>
            \(client.flatMap(Self.unverifiedNote))
            <dl>
            <dt>Code</dt><dd><strong>\(code.shown)</strong></dd>
            <dt>Device</dt><dd>\(asked.device.name ?? "unknown")</dd>
            <dt>Address</dt><dd>\(AddressLocation.phrase(for: asked.device.address))</dd>
            <dt>Started</dt><dd>\(ReadableTime.ago(asked.created, now: services.now()))</dd>
            </dl>
            <p><strong>Allow this only if you have just started it yourself</strong>, and your device shows this code. If \
            somebody sent you the code or the address of this page, do not allow it: that person would be signed in as \
            you.</p>
            <form method="post" action="\(link: prefix + Self.device)">
            \(pages.hidden(visit))
            <input type="hidden" name="\(Self.userCode)" value="\(code.shown)">
            <input type="hidden" name="\(Self.shownClient)" value="\(Self.shownDigest(client))">
            <p><button type="submit" class="block" name="\(Self.decision)" value="allow">Allow</button></p>
            <p><button type="submit" class="block other" name="\(Self.decision)" value="deny">Do not allow</button></p>
            </form>
            \(pages.notYou(visit.session.id, returningTo: devicePath(code.shown)))
            """)
    }

    /// The digest of what the page tells about a client. Empty for a request of the gateway's own apps or of a client that
    /// was removed.
    private static func shownDigest(_ client: RegisteredClient?) -> String { client?.shownDigest ?? "" }

    private func phrases(_ asked: DeviceRequest, staysSignedIn: Bool) -> [String] {
        guard let dialect = asked.dialect else { return asked.grant.phrases(staysSignedIn: staysSignedIn) }
        let name = deviceDialects[dialect]?.deviceTitle ?? dialect
        // Without scopes, the token of a session is good for everything that the person can do here.
        let reach =
            asked.grant.scopes.isEmpty
            ? "everything on this server in your name"
            : "\(name) in your name (\(asked.grant.scopes.joined(separator: ", ")))"
        return ["use \(reach), until you sign the device out"]
    }

    private func decide(
        _ code: UserCode, _ approval: DeviceApproval?, _ visit: SignedInRequest
    ) async throws -> ServerResponse? {
        guard let asked = try await devices.decide(code, approval) else { return nil }
        services.audit.record(
            AuditEvent(
                approval == nil ? .clientDenied : .clientAllowed, reason: "device", person: visit.person.id,
                session: visit.session.id, address: services.proxies.client(of: visit.request).description,
                request: visit.request.id, device: asked.device, client: asked.grant.client))
        guard approval != nil else {
            return page(
                "Not allowed",
                """
                <p>The device was not signed in. If you did not start this yourself, somebody tried to use your \
                account.</p>
                """)
        }
        return page(
            "You allowed \(try await name(of: asked))",
            """
            <p>Go back to the device. It signs in within a few seconds. You can sign it out on your account page.</p>
            """)
    }

    /// The page for a code that is unknown, mistyped, used or expired. These cases are not distinguished.
    private var unknownCode: ServerResponse {
        pages.plain(
            .notFound, title: "This code is not valid",
            sentence:
                "It may be mistyped, used already, or older than 10 minutes. Compare it with the device, or start "
                + "the sign-in there again.",
            again: prefix + Self.device)
    }

    private func tooManyCodes(_ wait: Duration) -> ServerResponse {
        pages.plain(
            .tooManyRequests, title: "Too many attempts",
            sentence:
                "Too many codes were not valid. Try again in \(ReadableTime.length(wait, isWait: true)). Attempts "
                + "before then are not checked."
        ).retry(after: wait)
    }

    private func page(_ title: String, _ content: HTML) -> ServerResponse {
        var page = WebPage(title: title, content)
        page.server = services.settings.pages.title
        page.formTargets = .own
        return page.response()
    }
}
