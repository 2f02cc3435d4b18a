import Primitives

/// Detects responses that come from a proxy or captive portal instead of the server.
///
/// Source: RFC 9110 §11.6.1 and §15.4; RFC 6585 §6.
enum InterceptedResponse {
    /// Returns why a response cannot come from the server itself. Nil when it may.
    ///
    /// - Parameters:
    ///   - answer: The response.
    ///   - server: The address of the request.
    ///   - expectsJSON: Whether the server responds to such a request with JSON or an empty body, never with a web
    ///     page.
    /// - Returns: The end of a sentence that says that the response is not the server's own. Nil when nothing indicates
    ///   that.
    static func reason(for answer: ClientResponse, from server: ServerAddress, expectsJSON: Bool) -> String? {
        if isPlainSuccess(answer), !expectsJSON || !isPage(answer) { return nil }
        if isPortal(answer) {
            return
                "the network wants you to sign in to it first (captive portal). Open a web page in a browser to do so."
        }
        if answer.status.rawValue == 407 { return "a proxy wants a name and a password." }
        let proxy = SignInProxy.recognised(in: answer)
        if answer.status.isRedirect, answer.status.rawValue != 304, let target = answer.headers["Location"] {
            return redirected(to: target, from: server, by: proxy, expectsJSON: expectsJSON)
        }
        if [401, 403].contains(answer.status.rawValue) {
            if let proxy { return said(by: proxy) }
            if let scheme = strangersScheme(answer) {
                return "a proxy in front of it wants its own sign-in (\(scheme)). Give its key as an extra header, "
                    + "with 'latch headers set'."
            }
            // A server that refuses a request does not add a redirect target.
            if let target = answer.headers["Location"], let host = elsewhere(target, than: server) {
                return "a sign-in proxy in front of it wants you to sign in at '\(host)'. \(remedy)"
            }
        }
        if proxy == .cloudflare { return said(by: .cloudflare) }
        let isPassing = answer.status.rawValue >= 500 || [408, 429].contains(answer.status.rawValue)
        guard expectsJSON, !isPassing, isPage(answer) else { return nil }
        if let proxy { return said(by: proxy) }
        return "a web page came instead of an answer, as from a captive portal or a sign-in proxy. \(remedy)"
    }

    /// Whether a response is a success without a body and without a field that a proxy adds, such as that of a
    /// completed download. Nothing in such a response could indicate an interception.
    private static func isPlainSuccess(_ answer: ClientResponse) -> Bool {
        answer.status.isSuccess && answer.body.isEmpty && answer.headers["cf-mitigated"] == nil
    }

    /// Whether a redirect leads to a portal, to a product with its own sign-in, or to the same address with TLS. Such a
    /// redirect is not followed, and ``reason(for:from:expectsJSON:)`` explains it.
    static func leadsToStranger(_ answer: ClientResponse, from server: ServerAddress) -> Bool {
        isPortal(answer) || SignInProxy.recognised(in: answer) != nil
            || answer.headers["Location"].map { secured($0, server) != nil } ?? false
    }

    /// Returns the end of a sentence about a web page that redirects led to instead of a file.
    static func page(in answer: ClientResponse, elsewhere: Bool) -> String {
        if let proxy = SignInProxy.recognised(in: answer) { return said(by: proxy) }
        let place = elsewhere ? host(of: answer).map { "a page on '\($0)'" } : nil
        return
            "it was sent on to \(place ?? "a page on the same host"), as a captive portal or a sign-in proxy does. \(remedy)"
    }

    /// Returns the host and port that a response came from. Nil when its URL is not a valid address.
    static func host(of answer: ClientResponse) -> String? {
        (try? ServerAddress(String(answer.url.prefix { $0 != "?" && $0 != "#" })))?.authority
    }

    private static let remedy =
        "Sign in to that in a browser, or use the address that the server itself has."

    private static func said(by proxy: SignInProxy, at host: String? = nil) -> String {
        "\(proxy.name) in front of it answered\(host.map { ", and sent the request on to '\($0)'" } ?? ""): it \(proxy.want) "
            + proxy.remedy
    }

    private static func redirected(
        to target: String, from server: ServerAddress, by proxy: SignInProxy?, expectsJSON: Bool
    ) -> String? {
        if let secured = secured(target, server) {
            return "it wants to be spoken to with TLS: give its address as \(secured)."
        }
        let host = elsewhere(target, than: server)
        if let proxy, host != nil || expectsJSON { return said(by: proxy, at: host) }
        if let host {
            return "it was sent on to '\(host)', as a captive portal or a sign-in proxy does. \(remedy)"
        }
        return expectsJSON ? "it was sent on to a page on the same host, as a sign-in proxy does. \(remedy)" : nil
    }

    /// Whether the status is 511, or the response contains a marker that portals send to automatic sign-in clients.
    ///
    /// Source: RFC 6585 §6; WISPr 1.0 Annex D.
    private static func isPortal(_ answer: ClientResponse) -> Bool {
        if answer.status.rawValue == 511 { return true }
        let target = answer.headers["Location"] ?? ""
        if answer.status.isRedirect, target.contains("uamip=") || target.contains("switchip=") { return true }
        return isPage(answer)
            && answer.body.prefix(1 << 16).firstRange(of: Array("WISPAccessGatewayParam".utf8)) != nil
    }

    /// Whether the media type of a response is JSON.
    static func isJSON(_ answer: ClientResponse) -> Bool {
        let type = mediaType(answer)
        return type == "application/json" || type.hasSuffix("+json")
    }

    /// Returns a description of a response that is not JSON of the family, from its status and media type alone.
    static func sketch(_ answer: ClientResponse) -> String {
        let type = mediaType(answer)
        return "status \(answer.status)" + (type.isEmpty ? "" : ", \(SanitizedText.clean(type))")
    }

    /// Returns the error for a successful response to a sign-in that contains no token.
    static func noToken(in answer: ClientResponse, from server: ServerAddress) -> LatchError {
        LatchError(
            .foreignAnswer,
            "Login failed: what came from \(server) is not what such a server says (\(sketch(answer))). "
                + "Try again; if it stays so, ask its operator.")
    }

    /// Whether the response is a web page, by its media type or the start of its body.
    static func isPage(_ answer: ClientResponse) -> Bool {
        let type = mediaType(answer)
        if type == "text/html" || type == "application/xhtml+xml" { return true }
        guard !answer.body.isEmpty else { return false }
        return answer.body.drop { [0x20, 9, 10, 13].contains($0) }.prefix(5).map { $0 | 0x20 } == Array("<html".utf8)
            || answer.body.drop { [0x20, 9, 10, 13].contains($0) }.prefix(2).elementsEqual("<!".utf8)
    }

    private static func mediaType(_ answer: ClientResponse) -> String {
        let type = (answer.headers["Content-Type"] ?? "").utf8
        return Substring(type.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }).lowercased()
    }

    private static func strangersScheme(_ answer: ClientResponse) -> String? {
        answer.headers.values("WWW-Authenticate")
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

/// Makes text from outside safe to print.
enum SanitizedText {
    /// Returns the first 300 characters of a text, with each control and formatting character replaced by a space.
    static func clean(_ text: String) -> String {
        String(text.unicodeScalars.prefix(300)).replacingControls(with: " ")
    }
}
