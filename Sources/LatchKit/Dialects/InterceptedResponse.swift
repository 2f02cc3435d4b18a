import Primitives

/// Tells answers of proxies, portals and other strangers from a server's own.
///
/// Source: RFC 9110 §11.6.1 and §15.4; RFC 6585 §6.
enum InterceptedResponse {
    /// Why an answer cannot be the server's own, or nil when nothing speaks against it.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - server: The address that was asked.
    ///   - expectsJSON: Whether the server answers such a request in JSON or with nothing, never with a page.
    /// - Returns: The end of a sentence that says that the server did not answer itself.
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
            // A server that refuses sends nobody on.
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

    /// Whether it can only be the server's own, for nothing in it could tell a stranger: as that of each file that has come.
    private static func isPlainSuccess(_ answer: ClientResponse) -> Bool {
        answer.status.isSuccess && answer.body.isEmpty && answer.headers["cf-mitigated"] == nil
    }

    /// Whether a redirect leads to a portal, to a product that wants a sign-in of its own, or to the same address with TLS: it is
    /// not followed then, and ``reason(for:from:expectsJSON:)`` says what it is.
    static func leadsToStranger(_ answer: ClientResponse, from server: ServerAddress) -> Bool {
        isPortal(answer) || SignInProxy.recognised(in: answer) != nil
            || answer.headers["Location"].map { secured($0, server) != nil } ?? false
    }

    /// The end of a sentence for a web page that redirects led to instead of a file.
    static func page(in answer: ClientResponse, elsewhere: Bool) -> String {
        if let proxy = SignInProxy.recognised(in: answer) { return said(by: proxy) }
        let place = elsewhere ? host(of: answer).map { "a page on '\($0)'" } : nil
        return
            "it was sent on to \(place ?? "a page on the same host"), as a captive portal or a sign-in proxy does. \(remedy)"
    }

    /// The host that an answer came from.
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

    /// 511, or what portals add for programs that sign in to them.
    ///
    /// Source: RFC 6585 §6; WISPr 1.0 Annex D.
    private static func isPortal(_ answer: ClientResponse) -> Bool {
        if answer.status.rawValue == 511 { return true }
        let target = answer.headers["Location"] ?? ""
        if answer.status.isRedirect, target.contains("uamip=") || target.contains("switchip=") { return true }
        return isPage(answer)
            && answer.body.prefix(1 << 16).firstRange(of: Array("WISPAccessGatewayParam".utf8)) != nil
    }

    /// Whether the answer says that its body is JSON.
    static func isJSON(_ answer: ClientResponse) -> Bool {
        let type = mediaType(answer)
        return type == "application/json" || type.hasSuffix("+json")
    }

    /// A sentence for an answer that is no JSON of the family, from its status and type alone.
    static func sketch(_ answer: ClientResponse) -> String {
        let type = mediaType(answer)
        return "status \(answer.status)" + (type.isEmpty ? "" : ", \(SanitizedText.clean(type))")
    }

    /// The error for a success that brought no token, at the time of signing in.
    static func noToken(in answer: ClientResponse, from server: ServerAddress) -> LatchError {
        LatchError(
            .foreignAnswer,
            "Login failed: what came from \(server) is not what such a server says (\(sketch(answer))). "
                + "Try again; if it stays so, ask its operator.")
    }

    /// Whether a web page came.
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

    /// The same host with TLS, where a server without it sends everybody there.
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

/// Text from outside, made fit to be printed.
enum SanitizedText {
    /// The first 300 characters of a text, with a space for each control and formatting character.
    static func clean(_ text: String) -> String {
        String(text.unicodeScalars.prefix(300)).replacingControls(with: " ")
    }
}
