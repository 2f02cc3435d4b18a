import Crypto
import FoundationEssentials
package import HTTPMessages
package import HTTPServer

/// A page for people, with the common frame and style of everything that the gateway and the sandbox show in a browser.
///
/// A page loads no resources except the icon that it contains, and runs no script except its own. It cannot be framed,
/// other sites do not learn its address, and browsers do not cache it.
///
/// Source: Content Security Policy Level 3 §8.4; RFC 9700 §4.2.4 and §4.16; OWASP Clickjacking Defense Cheat Sheet.
package struct WebPage: Sendable {
    /// The addresses that the page's forms may be sent to.
    ///
    /// Chromium applies this to every redirect after a form as well, and blocks another origin without telling the
    /// person. So the response to a form of this server is never a redirect to another origin, see
    /// ``response(leadingTo:after:)``.
    ///
    /// Source: Content Security Policy Level 3 §6.4.1.
    package enum FormTargets: Sendable, Equatable {
        /// No address: the page has no form.
        case none
        /// This server.
        case own
        /// Any address: the page has a form for another server, which may redirect to a third one.
        case anywhere
    }

    /// The title. It is also the first heading unless ``heading`` is changed.
    package var title: String
    /// The content of `main` below the heading.
    package var content: HTML
    /// The first heading.
    package var heading: String
    /// The link above the heading that leads back to another page. Nil, the default, for none.
    package var back: HTML?
    /// The navigation above `main`. Nil, the default, for none.
    package var header: HTML?
    /// The addresses that the page's forms may be sent to. Default: none.
    package var formTargets = FormTargets.none
    /// A script that runs when its element has been parsed. Nil, the default, for none.
    package var script: StaticString?
    /// The address that the browser opens by itself as soon as it shows the page. Nil, the default, for none. The page
    /// does not stay in the browser's history.
    ///
    /// Source: HTML Living Standard §4.2.5.3, "Refresh state".
    package var next: String?
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

    /// A script that sends the first form, once the whole page has been received. If it were sent earlier, the browser
    /// could cancel the request for the page, which then counts as failed.
    package static let submitScript: StaticString =
        "addEventListener('DOMContentLoaded', () => document.forms[0].submit())"

    /// Returns the page as a response.
    package func response(status: HTTPStatus = .ok) -> ServerResponse {
        ServerResponse(status: status, headers: headers, body: html.bytes)
    }

    /// Returns the response that leads a browser to an address that may be on another server, or that may redirect
    /// there: a redirect with this page as its body after a GET, and this page, which opens the address by itself, after
    /// a form. A redirect after a form would be blocked by Chromium, see ``FormTargets``.
    ///
    /// The page should have a link to the address, for a browser that does not open it.
    package func response(leadingTo address: String, after method: HTTPMethod) -> ServerResponse {
        var page = self
        guard method == .post || address.utf8.count > Self.longestLocation else {
            var response = page.response(status: .found)
            response.headers["Location"] = address
            return response
        }
        page.next = address
        return page.response()
    }

    /// The maximum length of an address in a redirect, in bytes. nginx accepts 4 KiB of fields in a response. A longer
    /// address is opened by the page.
    private static let longestLocation = 3_072

    private var html: HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex">
        <meta name="color-scheme" content="light dark">\(refresh)
        <title>\(title)</title>
        <link rel="icon" href="\(source: Self.icon)">
        <style>\(source: Self.style)</style>
        </head>
        <body\(attribute: "class", server == nil ? nil : "alone")>
        \(header)
        <main id="main"\(attribute: "class", isWide ? "wide" : nil)>
        \(server.map(card) ?? "\(back)<h1>\(heading)</h1>\(content)")
        </main>
        \(script.map { "<script>\(source: $0)</script>" as HTML })
        </body>
        </html>

        """
    }

    private var refresh: HTML? {
        next.flatMap { address in
            HTML.isLink(address) ? "\n<meta http-equiv=\"refresh\"\(attribute: "content", "0;url=\(address)")>" : nil
        }
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
            case .own: " form-action 'self';"
            case .anywhere: ""
            }
        return [
            "Content-Type": "text/html; charset=utf-8",
            "Content-Security-Policy":
                "default-src 'none'; style-src '\(Self.styleHash)';\(scripts)\(targets) img-src data:; "
                + "base-uri 'none'; frame-ancestors 'none'",
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
        formTargets == .own ? "same-origin" : "no-referrer"
    }

    /// The icon of every page, within the page: browsers request `/favicon.ico` of a page without one, which the policy
    /// blocks, and which a protected backend may serve.
    private static let icon: StaticString = """
        data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E\
        %3Crect width='16' height='16' rx='4' fill='%232f4bbf'/%3E\
        %3Cpath d='M8 3a2.5 2.5 0 0 1 1.2 4.7V13H6.8V7.7A2.5 2.5 0 0 1 8 3z' fill='%23fff'/%3E%3C/svg%3E
        """

    private static let styleHash = hash(style)

    private static func hash(_ text: StaticString) -> String {
        "sha256-" + Data(SHA256.digest(text.description).bytes).base64EncodedString()
    }
}
