import Crypto
import FoundationEssentials
import HTTPServer
import Wire

/// The pages that a browser may show when a sign-in is over.
///
/// Nothing is loaded, nothing runs, nobody frames them, and no other site learns the address. What came from outside stands
/// in one attribute, escaped.
///
/// Source: RFC 9700 §4.2.4 and §4.16; Content Security Policy Level 3 §8.4.
enum RedirectPage {
    /// "You can return to the app", with a button for the deep link, as the body of the redirect that leads there.
    static func returning(to link: String, status: HTTPStatus) -> ServerResponse {
        var response = page(
            status, title: "You can return to the app",
            """
            <p>Your sign-in is complete here. If the app did not open by itself, open it now:</p>
            <p><a class="button" href="\(escaped(link))">Return to the app</a></p>
            <p class="small">Afterwards you can close this page.</p>
            """)
        response.headers["Location"] = link
        return response
    }

    /// The same after a sign-in that led to nothing.
    static func returningWithoutSuccess(to link: String, _ sentence: String, status: HTTPStatus) -> ServerResponse {
        var response = page(
            status, title: "You are not signed in",
            """
            <p>\(escaped(sentence))</p>
            <p><a class="button" href="\(escaped(link))">Return to the app</a></p>
            """)
        response.headers["Location"] = link
        return response
    }

    /// Tells that a sign-in did not work, where nobody is known to give it back to.
    static func failed(_ status: HTTPStatus, _ sentence: String) -> ServerResponse {
        page(
            status, title: "You are not signed in",
            """
            <p>\(escaped(sentence))</p>
            <p class="small">Close this page and begin again where you came from.</p>
            """)
    }

    private static func page(_ status: HTTPStatus, title: String, _ content: String) -> ServerResponse {
        let text = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title)</title>
            <style>\(style)</style>
            </head>
            <body>
            <main>
            <h1>\(title)</h1>
            \(content)
            </main>
            </body>
            </html>

            """
        return ServerResponse(status: status, headers: headers, body: Array(text.utf8))
    }

    private static let style = """
        :root{color-scheme:light dark}\
        body{margin:0;font:1.125rem/1.5 system-ui,sans-serif;background:Canvas;color:CanvasText}\
        main{max-width:30rem;margin:0 auto;padding:12vh 1.5rem 2rem}\
        h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}\
        .button{display:block;margin:1.5rem 0;padding:.9rem 1rem;border-radius:.5rem;background:#1b5e9e;color:#fff;\
        text-align:center;text-decoration:none;font-weight:600}\
        .button:focus-visible{outline:3px solid CanvasText;outline-offset:2px}\
        .small{font-size:1rem}
        """

    /// The fields of every page.
    private static let headers: HTTPHeaders = {
        let hash = Data(SHA256.digest(style).bytes).base64EncodedString()
        return [
            "Content-Type": "text/html; charset=utf-8",
            "Content-Security-Policy":
                "default-src 'none'; style-src 'sha256-\(hash)'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
        ]
    }()

    /// Text for an element or an attribute in double quotes.
    ///
    /// Source: HTML Living Standard §13.3, "escaping a string".
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
