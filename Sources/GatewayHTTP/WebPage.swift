import Crypto
import FoundationEssentials
package import HTTPMessages
package import HTTPServer

/// A page for people, with the common frame and style of everything that the gateway and the sandbox show in a browser.
///
/// A page loads no resources and runs no script except its own. It cannot be framed, other sites do not learn its
/// address, and browsers do not cache it.
///
/// Source: Content Security Policy Level 3 §8.4; RFC 9700 §4.2.4 and §4.16; OWASP Clickjacking Defense Cheat Sheet.
package struct WebPage: Sendable {
    /// The addresses that the page's forms may be sent to.
    ///
    /// Browsers apply this to the redirects after a form as well.
    ///
    /// Source: Content Security Policy Level 3 §6.4.1.
    package enum FormTargets: Sendable, Equatable {
        /// No address: the page has no form.
        case none
        /// This server, and by a redirect the given origins, such as `https://photos.example.org`.
        case own(andOn: [String] = [])
        /// Addresses that cannot be known in advance, such as an app's own scheme.
        case anywhere
    }

    /// The title. It is also the first heading unless ``heading`` is changed.
    package var title: String
    /// The content of `main` below the heading.
    package var content: HTML
    /// The first heading.
    package var heading: String
    /// The navigation above `main`. Nil, the default, for none.
    package var header: HTML?
    /// The addresses that the page's forms may be sent to. Default: none.
    package var formTargets = FormTargets.none
    /// A script that runs when the page has been parsed. Nil, the default, for none.
    package var script: StaticString?
    /// Whether the page has the width for a table. Default: false.
    package var isWide = false
    /// The name of the server, shown above a centred card with the page's content. Nil for a page with a header.
    package var server: String?
    /// Whether the heading contains the server's name and replaces it above the card.
    package var isHeadingAbove = false

    /// Makes a page.
    package init(title: String, _ content: HTML) {
        self.title = title
        heading = title
        self.content = content
    }

    /// Returns the page as a response.
    package func response(status: HTTPStatus = .ok) -> ServerResponse {
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

    /// The `Referrer-Policy` of the page. With `no-referrer`, browsers send `Origin: null` with a form, so pages with
    /// forms to this server use `same-origin`.
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
