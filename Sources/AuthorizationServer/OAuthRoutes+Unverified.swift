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
    /// Returns the note that such a client is unverified. Nil for another client.
    static func unverifiedNote(_ client: RegisteredClient) -> HTML? {
        guard client.registration != nil else { return nil }
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
        let (button, origin) = wayBack(to: destination, pairs)
        return unverifiedPage(
            .badRequest, title: "The app cannot sign you in", destination.client, sentence, button, formTo: origin)
    }

    /// Returns a link or a form that returns parameters to a client when the person chooses it, and the origin that a form
    /// leads to.
    func wayBack(
        to destination: AuthorizationParameters.Destination, _ pairs: [(String, String)]
    ) -> (button: HTML, origin: String?) {
        let (pairs, place) = (allPairs(pairs, of: destination), destination.shownRedirect)
        switch destination.mode {
        case .query: return (Self.link(to: place, DeepLink.link(destination.redirect, pairs)), nil)
        case .formPost: return (destination.form(pairs, button: "Continue to \(place)"), destination.formOrigin)
        }
    }

    /// Returns the page for a person whom such a client has signed out without a question.
    func unverifiedSignOutPage(_ client: RegisteredClient, redirect: String, link: String) -> ServerResponse {
        unverifiedPage(
            .ok, title: "You are signed out", client, "The app asks you to return to it.",
            Self.link(to: RedirectOrigin.shown(redirect), link))
    }

    private static func link(to place: String, _ link: String) -> HTML {
        "<p><a class=\"button block other\" href=\"\(link: link)\">Continue to \(place)</a></p>"
    }

    private func unverifiedPage(
        _ status: HTTPStatus, title: String, _ client: RegisteredClient, _ sentence: String, _ button: HTML,
        formTo origin: String? = nil
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
        if let origin { page.formTargets = .own(andOn: [origin]) }
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
            <p><button type="submit" class="full">\(button)</button></p>
            </form>
            """
    }
}

extension RedirectOrigin {
    /// Where an address leads, for people: the host, this device, or an app.
    static func shown(_ redirect: String) -> String {
        let scheme = redirect.prefix { $0 != ":" }
        guard scheme == "https" || scheme == "http" else { return "an app on this device (\(scheme))" }
        guard scheme == "https" else { return "a program on this device" }
        return String(redirect.dropFirst(8).prefix { $0 != "/" && $0 != "?" })
    }
}
