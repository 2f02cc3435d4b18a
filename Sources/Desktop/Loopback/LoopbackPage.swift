import Primitives

/// The page that the browser shows at the end, in the style of the gateway's pages. Its headers forbid loading, scripts,
/// framing, caching and referrers.
enum LoopbackPage {
    /// The page for a request with an authorization code. `server` is the name of the server, for people.
    static func done(_ server: String) -> [UInt8] {
        // The program has not exchanged the code yet, so the page does not say that it is signed in.
        page(
            200, mark: "✓", title: "You signed in at \(server)",
            text: "You can close this tab. The app completes the sign-in.")
    }

    /// The page for a request with an error code instead of an authorization code.
    static func failed(_ error: String) -> [UInt8] {
        page(
            200, mark: "!", title: "You are not signed in",
            text: (error == "access_denied" ? "The sign-in was denied." : "The server reported an error.")
                + " You can close this tab; the app shows the details.")
    }

    /// The page for a request that belongs to no sign-in.
    static func refused(_ status: Int) -> [UInt8] {
        page(
            status, mark: "!", title: "No sign-in is waiting",
            text: "This address does not belong to a sign-in in progress. Nothing was changed.")
    }

    private static func page(_ status: Int, mark: String, title: String, text: String) -> [UInt8] {
        let title = title.escapedForMarkup
        let reason =
            switch status {
            case 200: "OK"
            case 404: "Not Found"
            default: "Bad Request"
            }
        let body = """
            <!doctype html><html lang="en"><meta charset="utf-8">\
            <meta name="viewport" content="width=device-width, initial-scale=1">\
            <meta name="color-scheme" content="light dark"><title>\(title)</title><link rel="icon" href="data:,">\
            <style>\(style)</style>\
            <main><span aria-hidden="true">\(mark)</span><div><h1>\(title)</h1><p>\(text)</p></div></main></html>

            """
        let head = [
            "HTTP/1.1 \(status) \(reason)", "Content-Type: text/html; charset=utf-8",
            "Content-Length: \(body.utf8.count)", "Connection: close", "Cache-Control: no-store",
            "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff",
            "Content-Security-Policy: default-src 'none'; style-src '\(styleHash)'; img-src data:; base-uri 'none'; "
                + "form-action 'none'; frame-ancestors 'none'",
        ]
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }

    /// The style sheet, with the colours and sizes of the gateway's.
    static let style = """
        :root{color-scheme:light dark;--ground:#f4f5f8;--card:#fff;--text:#16181d;--quiet:#565d6b;--line:#dfe2e8;--act:#2f4bbf;--act-2:#6a3fc4;--on-act:#fff}
        @media (prefers-color-scheme:dark){:root{--ground:#0f1115;--card:#181b21;--text:#e9ebf0;--quiet:#a6adba;--line:#2b303a;--act:#a9b8ff;--act-2:#c9a8ff;--on-act:#10142c}}
        body{margin:0;min-height:100vh;display:flex;font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;background:var(--ground);color:var(--text)}
        main{box-sizing:border-box;width:100%;max-width:26rem;margin:auto;padding:2rem 1rem;text-align:center}
        span{display:inline-flex;align-items:center;justify-content:center;width:3.5rem;height:3.5rem;border-radius:1rem;font-size:1.75rem;font-weight:700;background:linear-gradient(135deg,var(--act),var(--act-2));color:var(--on-act)}
        div{background:var(--card);border:1px solid var(--line);border-radius:1rem;margin:1.5rem 0 0;padding:1.5rem 1.25rem}
        h1{font-size:1.375rem;line-height:1.2;margin:0 0 .75rem;overflow-wrap:anywhere;text-wrap:balance}
        p{margin:0;color:var(--quiet)}
        """

    /// The hash of ``style``, which the policy of the page allows.
    static let styleHash = "sha256-Z5enOL6moTDJAjynAhmjnLxSBitat48AAZ3rkZvH+p4="
}
