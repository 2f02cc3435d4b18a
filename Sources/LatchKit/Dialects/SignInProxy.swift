/// A product that stands in front of servers and asks for a sign-in of its own, known by what nothing else says.
///
/// What it says of itself decides only where an answer is no server's own or refuses: cookies and fields of these products
/// also go along with what a server behind them answers.
///
/// Source: the products' answers as their manuals and users show them.
struct SignInProxy: Sendable, Equatable {
    /// Its name.
    let name: String
    /// What it wants, as the end of a sentence that begins with its name.
    let want: String
    /// What the person can do, in whole sentences.
    let remedy: String

    /// Who the answer is from; nil where no signature is unmistakable.
    static func recognised(in answer: ClientResponse) -> SignInProxy? {
        let place = Place(answer.headers["Location"] ?? "")
        let known: [(SignInProxy, Bool)] = [
            (.cloudflareAccess, isCloudflareAccess(answer, place)),
            (.cloudflare, answer.headers["cf-mitigated"]?.lowercased() == "challenge"),
            (.authentik, isAuthentik(answer, place)),
            (.oauth2Proxy, isOAuth2Proxy(answer, place)),
            (.authelia, isAuthelia(answer, place)),
        ]
        return known.first { $0.1 }?.0
    }

    /// 302 to the team's own host, a challenge of its own name, or its own page.
    private static func isCloudflareAccess(_ answer: ClientResponse, _ place: Place) -> Bool {
        place.host.hasSuffix(".cloudflareaccess.com") || place.path.hasPrefix("/cdn-cgi/access/")
            || answer.headers.values("WWW-Authenticate").contains { $0.lowercased().hasPrefix("cloudflare-access") }
            || answer.headers["CF-RAY"] != nil && page(answer, says: "Cloudflare Access")
    }

    /// Its outpost's paths, the path of its own provider, or its fields.
    private static func isAuthentik(_ answer: ClientResponse, _ place: Place) -> Bool {
        !place.path.isEmpty && place.path.contains("/outpost.goauthentik.io/")
            || place.path.hasPrefix("/application/o/authorize")
            || answer.headers["X-Powered-By"]?.lowercased() == "authentik"
            || answer.headers.contains { $0.name.lowercased().hasPrefix("x-authentik-") }
            || cookie(of: answer, begins: "authentik_")
    }

    /// Its paths, its cookies, or the foot of its pages.
    private static func isOAuth2Proxy(_ answer: ClientResponse, _ place: Place) -> Bool {
        place.path.hasSuffix("/oauth2/start") || place.path.hasSuffix("/oauth2/sign_in")
            || cookie(of: answer, begins: "_oauth2_proxy") || page(answer, says: "oauth2-proxy/oauth2-proxy")
    }

    /// To its portal with `rd`, where to go back to, and in newer ones `rm`, the method; also beside 401.
    private static func isAuthelia(_ answer: ClientResponse, _ place: Place) -> Bool {
        let leadsBack = place.query.contains { $0.hasPrefix("rd=http") }
        return leadsBack && (place.path == "/" || place.query.contains { $0.hasPrefix("rm=") })
            || cookie(of: answer, begins: "authelia_session=")
            || answer.headers.values("WWW-Authenticate").contains { $0.hasSuffix("realm=\"Authelia\"") }
    }

    private static func cookie(of answer: ClientResponse, begins name: String) -> Bool {
        // Beside a refusal of some length a cookie may have been added to the server's own words.
        let isBare = answer.body.count <= 2 || answer.status.isRedirect || InterceptedResponse.isPage(answer)
        return isBare && answer.headers.values("Set-Cookie").contains { $0.hasPrefix(name) }
    }

    private static func page(_ answer: ClientResponse, says words: String) -> Bool {
        InterceptedResponse.isPage(answer) && answer.body.prefix(1 << 16).firstRange(of: Array(words.utf8)) != nil
    }

    /// The parts of a target that tell products apart; empty where it has none.
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
    private static let useOwnAddress = "or use the address that the server itself has."

    static let cloudflareAccess = SignInProxy(
        name: "Cloudflare Access", want: "wants its own sign-in.",
        remedy: "Give it a service token with 'latch headers set' (CF-Access-Client-Id and CF-Access-Client-Secret), "
            + useOwnAddress)
    static let cloudflare = SignInProxy(
        name: "Cloudflare", want: "wants to see a browser, which a program is not.",
        remedy: "Have the server's operator let programs through, " + useOwnAddress)
    static let authentik = SignInProxy(
        name: "authentik", want: "wants its own sign-in.",
        remedy: "Have the server's operator let its API through, give what authentik takes from programs with "
            + "'latch headers set', " + useOwnAddress)
    static let oauth2Proxy = SignInProxy(
        name: "OAuth2 Proxy", want: "wants its own sign-in.",
        remedy: "Have the server's operator let its API through, " + useOwnAddress)
    static let authelia = SignInProxy(
        name: "Authelia", want: "wants its own sign-in.",
        remedy: "Have the server's operator let its API through, give 'Proxy-Authorization' with 'latch headers set' "
            + "if Authelia takes that, " + useOwnAddress)
}
