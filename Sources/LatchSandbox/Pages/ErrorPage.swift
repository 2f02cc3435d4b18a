import LatchGateway
import Wire

/// What the person is told when there is no client that could be told.
///
/// Source: RFC 6749 §4.1.2.1: nobody is redirected to an address that is not registered.
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
