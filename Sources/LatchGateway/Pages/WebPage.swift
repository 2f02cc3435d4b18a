import Crypto
import FoundationEssentials
public import HTTPServer
public import Wire

/// A page for people: one frame and one style for all that the gateway and the sandbox show in a browser.
///
/// Nothing is loaded, nothing runs but a script that the page names, nobody frames it, no other site learns its address and
/// nothing of it is kept.
///
/// Source: Content Security Policy Level 3 §8.4; RFC 9700 §4.2.4 and §4.16; OWASP Clickjacking Defense Cheat Sheet.
public struct WebPage: Sendable {
    /// Where the page's forms may lead.
    ///
    /// Browsers hold the redirects after a form to it as well.
    ///
    /// Source: Content Security Policy Level 3 §6.4.1.
    public enum FormTargets: Sendable, Equatable {
        /// There is no form.
        case none
        /// To this server, and by a redirect on to the origins named, such as `https://photos.example.org`.
        case own(andOn: [String] = [])
        /// To addresses that cannot be known beforehand, such as an app's own scheme.
        case anywhere
    }

    /// The title, which is the first heading too where ``heading`` says no other.
    public var title: String
    /// What stands in `main` below the heading.
    public var content: HTML
    /// The first heading.
    public var heading: String
    /// What stands above `main`: where one may go from here.
    public var header: HTML?
    /// Where the page's forms may lead.
    public var formTargets = FormTargets.none
    /// What runs when the page has been read; none on most.
    public var script: StaticString?
    /// Whether it is as wide as a table needs.
    public var isWide = false
    /// The name of the server, shown above a centred card with the page's content; nil for a page with a header.
    public var server: String?
    /// Whether the heading contains the server's name and replaces it above the card.
    public var isHeadingAbove = false

    /// Makes a page.
    public init(title: String, _ content: HTML) {
        self.title = title
        heading = title
        self.content = content
    }

    /// The page as an answer.
    public func response(status: HTTPStatus = .ok) -> ServerResponse {
        ServerResponse(status: status, headers: headers, body: html.bytes)
    }

    private var html: HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex">
        <meta name="color-scheme" content="light dark">
        <title>\(title)</title>
        <style>\(source: Self.style)</style>
        </head>
        <body\(attribute: "class", server == nil ? nil : "alone")>
        \(header)
        <main id="main"\(attribute: "class", isWide ? "wide" : nil)>
        \(server.map(card) ?? "<h1>\(heading)</h1>\(content)")
        </main>
        \(script.map { "<script>\(source: $0)</script>" as HTML })
        </body>
        </html>

        """
    }

    private func card(of server: String) -> HTML {
        """
        <div class="brand">\(PageMark.html(of: server))\
        \(isHeadingAbove ? "<h1>\(heading)</h1>" as HTML : "<p>\(server)</p>")</div>
        <div class="card">
        \(isHeadingAbove ? nil : "<h1>\(heading)</h1>" as HTML)
        \(content)
        </div>
        """
    }

    private var headers: HTTPHeaders {
        let scripts = script.map { " script-src '\(Self.hash($0))';" } ?? ""
        let targets =
            switch formTargets {
            case .none: " form-action 'none';"
            case .own(let origins): " form-action " + (["'self'"] + origins).joined(separator: " ") + ";"
            case .anywhere: ""
            }
        return [
            "Content-Type": "text/html; charset=utf-8",
            "Content-Security-Policy":
                "default-src 'none'; style-src '\(Self.styleHash)';\(scripts)\(targets) base-uri 'none'; "
                + "frame-ancestors 'none'",
            "X-Frame-Options": "DENY",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": referrerPolicy,
            "Cache-Control": "no-store",
        ]
    }

    /// Without a referrer a browser would not say either which page a form came from: its `Origin` is `null` then.
    ///
    /// Source: Fetch Standard §3.2, "append a request Origin header".
    private var referrerPolicy: String {
        if case .own = formTargets { "same-origin" } else { "no-referrer" }
    }

    private static let styleHash = hash(style)

    private static func hash(_ text: StaticString) -> String {
        "sha256-" + Data(SHA256.digest(text.description).bytes).base64EncodedString()
    }
}
