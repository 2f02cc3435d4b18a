import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import GatewayPages
import HTTPMessages
import HTTPServer
import SignInBridge

/// Clients that registered themselves. Otherwise anybody could register an address and send people there with a link to
/// this server, so a browser returns to such a client only after a decision of the person.
///
/// Source: RFC 9700 §4.11.2.
extension OAuthRoutes {
    /// Returns the note that such a client is unverified. Nil for one that an administrator has approved, and for others.
    static func unverifiedNote(_ client: RegisteredClient) -> HTML? {
        guard client.isUnverified else { return nil }
        return """
            <p role="note"><strong>This app is unverified.</strong> It registered itself, and anybody can register an app \
            with this name.</p>
            """
    }

    /// Returns the page that says what is wrong with a request of such a client.
    ///
    /// - Parameters:
    ///   - destination: Where the response would go.
    ///   - pairs: The error for the client.
    ///   - sentence: What is wrong.
    /// - Returns: The page, with a link or a form that returns the error to the client.
    func unverifiedPage(
        _ destination: AuthorizationParameters.Destination, _ pairs: [(String, String)], _ sentence: String
    ) -> ServerResponse {
        let (button, formTargets) = wayBack(to: destination, pairs)
        return unverifiedPage(
            .badRequest, title: "The app cannot sign you in", destination.client, sentence, button,
            formTargets: formTargets)
    }

    /// Returns a link or a form that returns parameters to a client when the person chooses it, and where the forms of its
    /// page may be sent.
    func wayBack(
        to destination: AuthorizationParameters.Destination, _ pairs: [(String, String)]
    ) -> (button: HTML, formTargets: WebPage.FormTargets) {
        let (pairs, place) = (allPairs(pairs, of: destination), destination.shownRedirect)
        switch destination.mode {
        case .query: return (Self.link(to: place, DeepLink.link(destination.redirect, pairs)), .none)
        case .formPost: return (destination.form(pairs, button: "Continue to \(place)"), .anywhere)
        }
    }

    /// Returns the page for a person whom such a client has signed out without a question.
    func unverifiedSignOutPage(_ client: RegisteredClient, redirect: String, link: String) -> ServerResponse {
        unverifiedPage(
            .ok, title: "You are signed out", client, "The app asks you to return to it.",
            Self.link(to: AddressName.text(of: redirect), link))
    }

    private static func link(to place: String, _ link: String) -> HTML {
        "<p><a class=\"button block other\" href=\"\(link: link)\">Continue to \(place)</a></p>"
    }

    private func unverifiedPage(
        _ status: HTTPStatus, title: String, _ client: RegisteredClient, _ sentence: String, _ button: HTML,
        formTargets: WebPage.FormTargets = .none
    ) -> ServerResponse {
        var page = WebPage(
            title: title,
            """
            <p><strong>\(client.name)</strong> sent you here. \(sentence)</p>
            \(Self.unverifiedNote(client))
            <p>Continue only if you have just used this app.</p>
            \(button)
            """)
        page.server = services.settings.pages.title
        page.formTargets = formTargets
        return page.response(status: status)
    }
}

extension AuthorizationParameters.Destination {
    /// Returns a form that posts parameters to the client.
    func form(_ pairs: [(String, String)], button: String) -> HTML {
        let fields: [HTML] = pairs.map { "<input type=\"hidden\" name=\"\($0.0)\" value=\"\($0.1)\">" }
        return """
            <form method="post" action="\(link: redirect)">
            \(fields)
            <p><button type="submit" class="block">\(button)</button></p>
            </form>
            """
    }
}
