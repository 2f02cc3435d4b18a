import Crypto
import FoundationEssentials
import HTTPServer
import Wire

/// A page of the provider: plain HTML with its own style, which no other page may frame and nothing may be added to.
struct Page {
    let title: String
    /// What stands in `main`, escaped already.
    let body: String
    /// What runs when the page has been read; none on most.
    var script: String?

    func response(status: HTTPStatus = .ok) -> ServerResponse {
        var html = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="robots" content="noindex">
            <title>\(Self.escaped(title))</title>
            <style>\(Self.style)</style>
            </head>
            <body>
            <main>
            \(body)
            </main>

            """
        if let script { html += "<script>\(script)</script>\n" }
        html += "</body>\n</html>\n"
        return ServerResponse(status: status, headers: headers, body: Array(html.utf8))
    }

    /// `form-action` is left open: browsers hold the redirects after a form to it as well, and those lead to the client
    /// and on to an app's own scheme, which cannot be known here.
    ///
    /// Source: Content Security Policy Level 3 §6.4.1.
    private var headers: HTTPHeaders {
        let scripts = script.map { " script-src '\(Self.hash($0))';" } ?? ""
        return [
            "Content-Type": "text/html; charset=utf-8",
            "Content-Security-Policy":
                "default-src 'none'; style-src '\(Self.hash(Self.style))';\(scripts) base-uri 'none'; "
                + "frame-ancestors 'none'",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
        ]
    }

    private static func hash(_ text: String) -> String {
        "sha256-" + Data(SHA256.digest(text).bytes).base64EncodedString()
    }

    /// Text as it may stand in an element or a quoted attribute.
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

    private static let style = """
        :root{color-scheme:light dark}
        *{box-sizing:border-box}
        body{margin:0;font:1.0625rem/1.5 system-ui,sans-serif}
        main{max-width:30rem;margin:0 auto;padding:1.25rem}
        h1{font-size:1.375rem;line-height:1.25;margin:0 0 1rem}
        label{display:block;margin:.75rem 0 .25rem}
        input[type=email],input[type=password],select{width:100%;font:inherit;padding:.625rem;min-height:2.75rem}
        label.check{display:flex;gap:.625rem;align-items:center;min-height:2.75rem;margin:0}
        input[type=checkbox]{width:1.25rem;height:1.25rem}
        button{width:100%;font:inherit;font-weight:600;padding:.75rem;min-height:3rem;margin-top:.75rem}
        fieldset{border:1px solid #8888;margin:1.25rem 0 0;padding:.75rem}
        :focus-visible{outline:3px solid #2563eb;outline-offset:2px}
        [role=alert]{border-left:4px solid #b91c1c;padding:.5rem .75rem}
        code{overflow-wrap:anywhere}
        """
}
