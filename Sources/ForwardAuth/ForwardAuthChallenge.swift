import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer

/// The responses to a request that needs a sign-in. An app learns the address of the sign-in, a browser is redirected
/// there.
package struct ForwardAuthChallenge: Sendable {
    private let address: PublicAddress
    private let own: AccessHost?
    private let cookieDomain: String?
    /// The path prefix of the pages; nil when they are off.
    private let pages: String?

    init(_ settings: GatewaySettings, _ address: PublicAddress) {
        self.address = address
        own = address.host
        cookieDomain = settings.verify.cookieDomain
        pages = settings.pages.isEnabled ? settings.pages.prefix : nil
    }

    /// Returns 401 with the challenge, or 302 to the sign-in page for a browser. For nginx it is always 401, with the
    /// page's address for a browser.
    ///
    /// Source: RFC 6750 §3 and §3.1: an error only where a token was sent; RFC 9728 §5.1; RFC 7617 §2; RFC 9449 §7.1.
    func response(
        to request: ServerRequest, _ forwarded: ForwardedRequest, triedBearer: Bool, refusal: ProofRefusal?,
        acceptsKeys: Bool, isNginx: Bool
    ) -> ServerResponse {
        let page = Self.isBrowser(request, forwarded) ? page(PagePath.signIn, for: forwarded) : nil
        if let page, !isNginx { return Self.redirect(to: page) }
        var response = ForwardAuthResponses.sentence(.unauthorized, "Sign in first.")
        let metadata = #"resource_metadata="\#(Self.metadata(of: forwarded))""#
        if let refusal {
            response.headers["WWW-Authenticate"] = "\(refusal.challenge), \(metadata)"
            return refusal.withNonce(response)
        }
        let error = triedBearer ? #"error="invalid_token", error_description="The token is not valid.", "# : ""
        let bearer = #"Bearer realm="latchd", \#(error)\#(metadata)"#
        // Basic comes first, because some programs read only the first challenge. It is not sent to a browser's script,
        // because the browser would open a password dialog.
        let basic = acceptsKeys && !Self.isFetch(request) ? #"Basic realm="latchd", charset="UTF-8", "# : ""
        response.headers["WWW-Authenticate"] = basic + bearer
        if let page { response.headers["Location"] = page }
        return response
    }

    /// Returns 401 for a person who must authenticate again or more strongly, or 302 to the sign-in page for a browser.
    /// For nginx it is always 401, with the page's address for a browser. `isBound` says whether the token is bound to a
    /// key.
    ///
    /// Source: RFC 9470 §3.
    func stepUp(
        to requirement: AccessRequirement, for request: ServerRequest, _ forwarded: ForwardedRequest,
        isBound: Bool, isNginx: Bool
    ) -> ServerResponse {
        let reason = requirement.level.map { "&again=1&acr_values=\($0.rawValue)" } ?? "&again=1"
        let page =
            Self.isBrowser(request, forwarded) ? page(PagePath.signIn, for: forwarded).map { $0 + reason } : nil
        if let page, !isNginx { return Self.redirect(to: page) }
        var response = ForwardAuthResponses.sentence(.unauthorized, "Sign in again.")
        let level = requirement.level.map { #", acr_values="\#($0.rawValue)""# } ?? ""
        let age = requirement.maximumAge.map { #", max_age="\#(Int($0 / .seconds(1)))""# } ?? ""
        response.headers["WWW-Authenticate"] =
            #"\#(Self.scheme(isBound)), error="insufficient_user_authentication", "#
            + #"error_description="Another authentication is required."\#(level)\#(age), "#
            + #"resource_metadata="\#(Self.metadata(of: forwarded))""#
        if let page { response.headers["Location"] = page }
        return response
    }

    /// Returns the beginning of the challenge for a valid token that is not enough, with the scheme of the token.
    ///
    /// Source: RFC 6750 §3; RFC 9449 §7.1.
    private static func scheme(_ isBound: Bool) -> String {
        isBound ? #"DPoP realm="latchd", algs="\#(ProofRefusal.algorithms)""# : #"Bearer realm="latchd""#
    }

    /// Returns 403 for an access token without the scopes that a rule requires. `isBound` says whether the token is bound
    /// to a key.
    ///
    /// Source: RFC 6750 §3.1.
    func insufficientScope(
        _ requirement: AccessRequirement, _ forwarded: ForwardedRequest, isBound: Bool
    ) -> ServerResponse {
        var response = ForwardAuthResponses.sentence(.forbidden, "The access token does not have the required scope.")
        response.headers["WWW-Authenticate"] =
            #"\#(Self.scheme(isBound)), error="insufficient_scope", "#
            + #"scope="\#(requirement.scopes.joined(separator: " "))", "#
            + #"resource_metadata="\#(Self.metadata(of: forwarded))""#
        return response
    }

    /// Returns the response for a person who must change their password first: 302 to the page for a browser, 403 for
    /// other clients. For nginx a browser gets 401 with the page's address, because nginx redirects only after a 401.
    func passwordChange(
        for request: ServerRequest, _ forwarded: ForwardedRequest, _ sentence: String, isNginx: Bool
    ) -> ServerResponse {
        guard Self.isBrowser(request, forwarded), let page = passwordPage(for: forwarded) else {
            return ForwardAuthResponses.sentence(.forbidden, sentence)
        }
        guard isNginx else { return Self.redirect(to: page) }
        var response = ForwardAuthResponses.sentence(.unauthorized, sentence)
        response.headers["Location"] = page
        return response
    }

    /// Returns the address of the page for a new password. It is served only on the server's own host.
    private func passwordPage(for forwarded: ForwardedRequest) -> String? {
        guard let pages, let configured = address.configured else { return page(PagePath.password, for: forwarded) }
        return Self.page(
            configured + pages + PagePath.password, back: forwarded.origin + forwarded.target,
            or: forwarded.origin + "/")
    }

    private static func redirect(to page: String) -> ServerResponse {
        ServerResponse(status: .found, headers: ["Location": page, "Cache-Control": "no-store"])
    }

    /// Returns the address of the metadata for the requested path. For a path of more than 256 bytes it is the
    /// metadata of the host, because nginx accepts 4 KiB of fields in a response, which has the page for a sign-in too.
    ///
    /// Source: RFC 9728 §3.1.
    private static func metadata(of forwarded: ForwardedRequest) -> String {
        let path = forwarded.sentPath
        return forwarded.origin + ForwardAuthRoutes.wellKnown + (path == "/" || path.utf8.count > 256 ? "" : path)
    }

    /// Returns the address of a page of the sign-in, with the return address.
    ///
    /// The page is on the requested host itself when this server's cookie does not reach that host. The same applies to
    /// a loopback name when this server's address is not configured.
    private func page(_ path: String, for forwarded: ForwardedRequest) -> String? {
        guard let pages, address.configured != nil || forwarded.host.isLoopback else { return nil }
        let origin = forwarded.origin
        if let configured = address.configured,
            forwarded.host == own || cookieDomain.map(forwarded.host.isWithin) == true
        {
            return Self.page(configured + pages + path, back: origin + forwarded.target, or: origin + "/")
        }
        return Self.page(origin + pages + path, back: forwarded.target, or: "/")
    }

    private static func page(_ address: String, back: String, or short: String) -> String {
        let isLong = back.utf8.count > ReturnAddress.maximumCount
        return address + "?return=" + PercentEncoding.encode(isLong ? short : back)
    }

    /// Whether a browser sent the request, for a page or from a script.
    private static func isFetch(_ request: ServerRequest) -> Bool {
        request.headers["Sec-Fetch-Mode"] != nil || request.headers["X-Requested-With"] != nil
    }

    /// Whether a browser requests a page for a person. Scripts, images and apps cannot use a page instead of the
    /// response that they expect.
    ///
    /// Source: W3C Fetch Metadata §2; RFC 9110 §12.5.1.
    private static func isBrowser(_ request: ServerRequest, _ forwarded: ForwardedRequest) -> Bool {
        let headers = request.headers
        guard forwarded.method == .get || forwarded.method == .head, headers["Authorization"] == nil,
            headers["X-Requested-With"] == nil, headers["Sec-Fetch-Mode"].map({ $0 == "navigate" }) ?? true,
            headers["Sec-Fetch-Dest"].map({ $0 == "document" }) ?? true
        else { return false }
        return headers.acceptsPage
    }
}
