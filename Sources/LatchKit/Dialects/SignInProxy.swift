import HTTPClient

/// A proxy product with its own sign-in, recognized by signatures that no other product sends.
///
/// The signatures count only in a response that is a refusal or not the server's own. These products also add their
/// cookies and fields to responses of the server behind them.
///
/// Source: responses of the products as shown by their manuals and users.
struct SignInProxy: Sendable, Equatable {
    /// The name of the product.
    let name: String
    /// What the product requires, as the end of a sentence that begins with its name.
    let requirement: String
    /// What the person can do about it, in complete sentences.
    let remedy: String

    /// Returns the product that sent a response. Nil when the response has no unmistakable signature.
    static func recognised(in response: ClientResponse) -> SignInProxy? {
        let place = Place(response.headers["Location"] ?? "")
        let known: [(SignInProxy, Bool)] = [
            (.cloudflareAccess, isCloudflareAccess(response, place)),
            (.cloudflare, response.headers["cf-mitigated"]?.lowercased() == "challenge"),
            (.authentik, isAuthentik(response, place)),
            (.oauth2Proxy, isOAuth2Proxy(response, place)),
            (.authelia, isAuthelia(response, place)),
        ]
        return known.first { $0.1 }?.0
    }

    /// Checks for a redirect to the team's host, a challenge with the product's scheme, or the product's own page.
    private static func isCloudflareAccess(_ response: ClientResponse, _ place: Place) -> Bool {
        place.host.hasSuffix(".cloudflareaccess.com") || place.path.hasPrefix("/cdn-cgi/access/")
            || response.headers.values("WWW-Authenticate").contains { $0.lowercased().hasPrefix("cloudflare-access") }
            || response.headers["CF-RAY"] != nil && page(response, contains: "Cloudflare Access")
    }

    /// Checks for the paths of the outpost, the path of the built-in provider, and the product's fields and cookies.
    private static func isAuthentik(_ response: ClientResponse, _ place: Place) -> Bool {
        !place.path.isEmpty && place.path.contains("/outpost.goauthentik.io/")
            || place.path.hasPrefix("/application/o/authorize")
            || response.headers["X-Powered-By"]?.lowercased() == "authentik"
            || response.headers.contains { $0.name.lowercased().hasPrefix("x-authentik-") }
            || cookie(of: response, begins: "authentik_")
    }

    /// Checks for the product's paths, its cookies, and the footer of its pages.
    private static func isOAuth2Proxy(_ response: ClientResponse, _ place: Place) -> Bool {
        place.path.hasSuffix("/oauth2/start") || place.path.hasSuffix("/oauth2/sign_in")
            || cookie(of: response, begins: "_oauth2_proxy") || page(response, contains: "oauth2-proxy/oauth2-proxy")
    }

    /// Checks for a redirect to the portal, the product's cookie, and its challenge. The portal's address has `rd`, the
    /// address to return to, and in newer versions `rm`, the method. The redirect target may also accompany a 401.
    private static func isAuthelia(_ response: ClientResponse, _ place: Place) -> Bool {
        let leadsBack = place.query.contains { $0.hasPrefix("rd=http") }
        return leadsBack && (place.path == "/" || place.query.contains { $0.hasPrefix("rm=") })
            || cookie(of: response, begins: "authelia_session=")
            || response.headers.values("WWW-Authenticate").contains { $0.hasSuffix("realm=\"Authelia\"") }
    }

    private static func cookie(of response: ClientResponse, begins name: String) -> Bool {
        // If a refusal has a longer body, the proxy may have added its cookie to the server's own response.
        let isBare = response.body.count <= 2 || response.status.isRedirect || InterceptedResponse.isPage(response)
        return isBare && response.headers.values("Set-Cookie").contains { $0.hasPrefix(name) }
    }

    private static func page(_ response: ClientResponse, contains text: String) -> Bool {
        InterceptedResponse.isPage(response) && response.body.prefix(1 << 16).firstRange(of: Array(text.utf8)) != nil
    }

    /// The parts of a redirect target that identify products. Each is empty when the target lacks it.
    private struct Place {
        var host = ""
        var path = ""
        var query: [Substring] = []

        init(_ target: String) {
            let bare = target.prefix { $0 != "#" }
            let parts = bare.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            query = parts.count > 1 ? parts[1].split(separator: "&") : []
            guard let first = parts.first, !first.isEmpty else { return }
            guard let authority = first.firstRange(of: "//") else {
                path = String(first)
                return
            }
            let rest = first[authority.upperBound...]
            host = rest.prefix { $0 != "/" && $0 != ":" }.lowercased()
            path = String(rest.drop { $0 != "/" })
            if path.isEmpty { path = "/" }
        }
    }
}

extension SignInProxy {
    private static let useOwnAddress = "or use the server's direct address."

    static let cloudflareAccess = SignInProxy(
        name: "Cloudflare Access", requirement: "requires its own sign-in.",
        remedy: "Set a service token as extra header fields (CF-Access-Client-Id and CF-Access-Client-Secret), "
            + useOwnAddress)
    static let cloudflare = SignInProxy(
        name: "Cloudflare", requirement: "requires a browser.",
        remedy: "Ask the server's operator to let programs through, " + useOwnAddress)
    static let authentik = SignInProxy(
        name: "authentik", requirement: "requires its own sign-in.",
        remedy: "Ask the server's operator to let its API through, set the credentials that authentik accepts from "
            + "programs as an extra header field, " + useOwnAddress)
    static let oauth2Proxy = SignInProxy(
        name: "OAuth2 Proxy", requirement: "requires its own sign-in.",
        remedy: "Ask the server's operator to let its API through, " + useOwnAddress)
    static let authelia = SignInProxy(
        name: "Authelia", requirement: "requires its own sign-in.",
        remedy: "Ask the server's operator to let its API through, set the extra header field 'Proxy-Authorization' "
            + "if Authelia accepts it, " + useOwnAddress)
}
