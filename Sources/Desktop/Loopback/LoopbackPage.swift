/// The page that the browser shows at the end. Its headers forbid loading, scripts, framing, caching and referrers.
enum LoopbackPage {
    /// The page for a request with an authorization code.
    static let done = page(
        200, title: "Return to the app",
        text: "The browser is no longer needed. You can close this page and return to the app.")

    /// The page for a request with an error code instead of an authorization code.
    static func failed(_ error: String) -> [UInt8] {
        page(
            200, title: "You are not signed in",
            text: (error == "access_denied" ? "The sign-in was denied." : "The server reported an error.")
                + " You can close this page; the app shows the details.")
    }

    /// The page for a request that belongs to no sign-in.
    static func refused(_ status: Int) -> [UInt8] {
        page(
            status, title: "No sign-in is waiting",
            text: "This address does not belong to a sign-in in progress. Nothing was changed.")
    }

    private static func page(_ status: Int, title: String, text: String) -> [UInt8] {
        let reason =
            switch status {
            case 200: "OK"
            case 404: "Not Found"
            default: "Bad Request"
            }
        let body = """
            <!doctype html><html lang="en"><meta charset="utf-8">\
            <meta name="viewport" content="width=device-width, initial-scale=1"><title>\(title)</title>\
            <h1>\(title)</h1><p>\(text)</p></html>

            """
        let head = [
            "HTTP/1.1 \(status) \(reason)", "Content-Type: text/html; charset=utf-8",
            "Content-Length: \(body.utf8.count)", "Connection: close", "Cache-Control: no-store",
            "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff",
            "Content-Security-Policy: default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ]
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }
}
