import HTTPClient

/// Detects responses that come from a proxy or captive portal instead of the server.
///
/// Source: RFC 9110 §11.6.1 and §15.4; RFC 6585 §6.
enum InterceptedResponse {
    /// Returns why a response cannot come from the server itself. Nil when it may.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - server: The address of the request.
    ///   - expectsJSON: Whether the server responds to such a request with JSON or an empty body, never with a web
    ///     page.
    /// - Returns: The end of a sentence that says that the response is not the server's own. Nil when nothing indicates
    ///   that.
    static func reason(for response: ClientResponse, from server: ServerAddress, expectsJSON: Bool) -> String? {
        if let reason = missingTLS(response, from: server) { return reason }
        if isPlainSuccess(response), !expectsJSON || !isPage(response) { return nil }
        if isPortal(response) {
            return
                "the network requires you to sign in first (captive portal). Open any web page in a browser to sign in."
        }
        if response.status.rawValue == 407 { return "a proxy requires a user name and a password." }
        let proxy = SignInProxy.recognised(in: response)
        if response.status.isRedirect, response.status.rawValue != 304, let target = response.headers["Location"] {
            return redirected(to: target, from: server, by: proxy, expectsJSON: expectsJSON)
        }
        if [401, 403].contains(response.status.rawValue) {
            if let proxy { return message(from: proxy) }
            if let scheme = proxyAuthenticationScheme(response) {
                return "a proxy in front of the server requires its own sign-in (\(scheme)). Set its credentials as an "
                    + "extra header field."
            }
            // A server that refuses a request does not add a redirect target.
            if let target = response.headers["Location"], let host = elsewhere(target, than: server) {
                return "a sign-in proxy in front of the server requires you to sign in at '\(host)'. \(remedy)"
            }
        }
        if proxy == .cloudflare { return message(from: .cloudflare) }
        let isTransient = response.status.rawValue >= 500 || [408, 429].contains(response.status.rawValue)
        guard expectsJSON, !isTransient, isPage(response) else { return nil }
        if let proxy { return message(from: proxy) }
        return "the response is a web page, as from a captive portal or a sign-in proxy. \(remedy)"
    }

    /// Returns the end of a sentence about a port that expects TLS and got plain HTTP. Nil for any other response.
    ///
    /// Source: the responses of nginx (`ngx_http_special_response.c`), Apache (`ssl_engine_kernel.c`), Go (`net/http`,
    /// `server.go`) and Tomcat.
    static func missingTLS(_ response: ClientResponse, from server: ServerAddress) -> String? {
        let sentences = [
            "plain HTTP request was sent to HTTPS port", "speaking plain HTTP to an SSL-enabled server port",
            "sent an HTTP request to an HTTPS server", "combination of host and port requires TLS",
        ]
        guard !server.isEncrypted, response.status == .badRequest,
            sentences.contains(where: { response.body.prefix(1 << 16).firstRange(of: Array($0.utf8)) != nil })
        else { return nil }
        return "\(server.authority) expects https. Write https:// before its name."
    }

    /// Whether a response is a success without a body and without a field that a proxy adds, such as that of a
    /// completed download. Nothing in such a response could indicate an interception.
    private static func isPlainSuccess(_ response: ClientResponse) -> Bool {
        response.status.isSuccess && response.body.isEmpty && response.headers["cf-mitigated"] == nil
    }

    /// Whether a redirect leads to a portal, to a product with its own sign-in, or to the same address with TLS. Such a
    /// redirect is not followed, and ``reason(for:from:expectsJSON:)`` explains it.
    static func isInterceptedRedirect(_ response: ClientResponse, from server: ServerAddress) -> Bool {
        isPortal(response) || SignInProxy.recognised(in: response) != nil
            || response.headers["Location"].map { secured($0, server) != nil } ?? false
    }

    /// Returns the end of a sentence about a web page that redirects led to instead of a file.
    static func page(in response: ClientResponse, elsewhere: Bool) -> String {
        if let proxy = SignInProxy.recognised(in: response) { return message(from: proxy) }
        let place = elsewhere ? host(of: response).map { "a page on '\($0)'" } : nil
        return "the request was redirected to \(place ?? "a page on the same host"), as by a captive portal or a "
            + "sign-in proxy. \(remedy)"
    }

    /// Returns the host and port that a response came from. Nil when its URL is not a valid address.
    static func host(of response: ClientResponse) -> String? {
        (try? ServerAddress(String(response.url.prefix { $0 != "?" && $0 != "#" })))?.authority
    }

    private static let remedy =
        "Sign in to it in a browser, or use the server's direct address."

    private static func message(from proxy: SignInProxy, at host: String? = nil) -> String {
        "\(proxy.name) in front of the server responded\(host.map { " and redirected the request to '\($0)'" } ?? ""): "
            + "it \(proxy.requirement) \(proxy.remedy)"
    }

    private static func redirected(
        to target: String, from server: ServerAddress, by proxy: SignInProxy?, expectsJSON: Bool
    ) -> String? {
        if let secured = secured(target, server) {
            return "the server requires TLS. Use the address \(secured)."
        }
        let host = elsewhere(target, than: server)
        if let proxy, host != nil || expectsJSON { return message(from: proxy, at: host) }
        if let host {
            return "the request was redirected to '\(host)', as by a captive portal or a sign-in proxy. \(remedy)"
        }
        guard expectsJSON else { return nil }
        return "the request was redirected to a page on the same host, as by a sign-in proxy. \(remedy)"
    }

    /// Whether the status is 511, or the response contains a marker that portals send to automatic sign-in clients.
    ///
    /// Source: RFC 6585 §6; WISPr 1.0 Annex D.
    private static func isPortal(_ response: ClientResponse) -> Bool {
        if response.status.rawValue == 511 { return true }
        let target = response.headers["Location"] ?? ""
        if response.status.isRedirect, target.contains("uamip=") || target.contains("switchip=") { return true }
        return isPage(response)
            && response.body.prefix(1 << 16).firstRange(of: Array("WISPAccessGatewayParam".utf8)) != nil
    }

    /// Whether the media type of a response is JSON.
    static func isJSON(_ response: ClientResponse) -> Bool {
        let type = mediaType(response)
        return type == "application/json" || type.hasSuffix("+json")
    }

    /// Returns a description of a response that is not JSON of the family, from its status and media type alone.
    static func summary(_ response: ClientResponse) -> String {
        let type = mediaType(response)
        return "status \(response.status)" + (type.isEmpty ? "" : ", \(SanitizedText.clean(type))")
    }

    /// Returns the error for a successful response to a sign-in that contains no token.
    static func noToken(in response: ClientResponse, from server: ServerAddress) -> LatchError {
        LatchError(
            .interceptedResponse,
            "Login failed: the response from \(server) has an unexpected format (\(summary(response))). "
                + "Try again. If the error persists, ask its operator.")
    }

    /// Whether the response is a web page, by its media type or the start of its body.
    static func isPage(_ response: ClientResponse) -> Bool {
        let type = mediaType(response)
        if type == "text/html" || type == "application/xhtml+xml" { return true }
        guard !response.body.isEmpty else { return false }
        return response.body.drop { [0x20, 9, 10, 13].contains($0) }.prefix(5).map { $0 | 0x20 } == Array("<html".utf8)
            || response.body.drop { [0x20, 9, 10, 13].contains($0) }.prefix(2).elementsEqual("<!".utf8)
    }

    private static func mediaType(_ response: ClientResponse) -> String {
        let type = (response.headers["Content-Type"] ?? "").utf8
        return Substring(type.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }).lowercased()
    }

    private static func proxyAuthenticationScheme(_ response: ClientResponse) -> String? {
        response.headers.values("WWW-Authenticate")
            .map { String($0.prefix { $0 != " " && $0 != "," }) }
            .first { ["basic", "digest", "negotiate", "ntlm"].contains($0.lowercased()) }
    }

    /// Returns the same address with TLS when a redirect from an unencrypted server leads there. Nil otherwise.
    private static func secured(_ target: String, _ server: ServerAddress) -> String? {
        guard !server.isEncrypted, let other = try? ServerAddress(String(target.prefix { $0 != "?" && $0 != "#" })),
            other.isEncrypted, other.host == server.host, target.lowercased().hasPrefix("https://")
        else { return nil }
        return other.origin + server.prefix
    }

    private static func elsewhere(_ target: String, than server: ServerAddress) -> String? {
        if target.hasPrefix("//") { return elsewhere(server.scheme.rawValue + ":" + target, than: server) }
        guard target.contains("://") else { return nil }
        let bare = String(target.prefix { $0 != "?" && $0 != "#" })
        guard let other = try? ServerAddress(bare) else { return SanitizedText.clean(String(bare.prefix(60))) }
        return other.origin == server.origin ? nil : other.authority
    }
}
