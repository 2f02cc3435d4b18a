import GatewayHTTP
import HTTPMessages
import LatchGateway

/// The page for errors that cannot be reported to a client.
///
/// Source: RFC 6749 §4.1.2.1: the browser must not be redirected to an unregistered address.
enum ErrorPage {
    static func page(_ sentence: String) -> WebPage {
        var page = WebPage(
            title: "Sign-in is not possible",
            """
            <p role="alert">\(sentence)</p>
            <p>Go back to the app and start again.</p>
            """)
        page.server = "Sandbox provider"
        return page
    }
}
