import HTTPServer
import Wire

/// The pages that a browser may show when a sign-in is over.
enum RedirectPage {
    /// "You can return to the app", with a button for the deep link, as the body of the redirect that leads there.
    static func returning(to link: String, status: HTTPStatus) -> ServerResponse {
        var response = page(
            status, title: "You can return to the app",
            """
            <p>Your sign-in is complete here. If the app did not open by itself, open it now:</p>
            <p><a class="button block" href="\(link: link)">Return to the app</a></p>
            <p class="quiet">Afterwards you can close this page.</p>
            """)
        response.headers["Location"] = link
        return response
    }

    /// The same after a sign-in that led to nothing.
    static func returningWithoutSuccess(to link: String, _ sentence: String, status: HTTPStatus) -> ServerResponse {
        var response = page(
            status, title: "You are not signed in",
            """
            <p>\(sentence)</p>
            <p><a class="button block" href="\(link: link)">Return to the app</a></p>
            """)
        response.headers["Location"] = link
        return response
    }

    /// Tells that a sign-in did not work, where nobody is known to give it back to.
    static func failed(_ status: HTTPStatus, _ sentence: String) -> ServerResponse {
        page(
            status, title: "You are not signed in",
            """
            <p>\(sentence)</p>
            <p class="quiet">Close this page and begin again where you came from.</p>
            """)
    }

    private static func page(_ status: HTTPStatus, title: String, _ content: HTML) -> ServerResponse {
        WebPage(title: title, content).response(status: status)
    }
}
