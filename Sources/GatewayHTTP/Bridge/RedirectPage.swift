import GatewayConfiguration
package import HTTPMessages
package import HTTPServer

/// The pages before and after a sign-in through an identity provider.
package struct RedirectPage: Sendable {
    /// The name of the server.
    private let server: String
    /// The prefix of the sign-in pages; nil when they are off.
    private let prefix: String?

    init(_ settings: GatewaySettings) {
        server = settings.pages.title
        prefix = settings.pages.isEnabled ? settings.pages.prefix : nil
    }

    /// Returns the response that leads a browser to a deep link, with the page "You can return to the app" and a button
    /// for the link. After a GET it is a redirect, because some browsers block a page that opens an app without a click.
    package func returning(to link: String, after method: HTTPMethod) -> ServerResponse {
        page(
            title: "You can return to the app",
            """
            <p>Your sign-in is complete. If the app did not open automatically, open it now:</p>
            <p><a class="button block" href="\(link: link)">Return to the app</a></p>
            <p class="quiet">Afterwards you can close this page.</p>
            """
        ).response(leadingTo: link, after: method)
    }

    /// Returns the response that leads a browser to a deep link after a failed sign-in, with a page that explains the
    /// failure.
    package func returningWithoutSuccess(
        to link: String, _ sentence: String, after method: HTTPMethod
    ) -> ServerResponse {
        page(
            title: "You are not signed in",
            """
            <p>\(sentence)</p>
            <p><a class="button block" href="\(link: link)">Return to the app</a></p>
            """
        ).response(leadingTo: link, after: method)
    }

    /// Returns the response that leads a browser to the page that the person asked for, on this server or another one.
    ///
    /// - Parameters:
    ///   - address: The path or the address of the page. It must be checked, see ``ReturnAddress``.
    ///   - title: What has been completed, such as `You are signed in`.
    ///   - method: The method of the request.
    /// - Returns: The response.
    package func continuing(to address: String, title: String, after method: HTTPMethod) -> ServerResponse {
        let place: HTML? = address.hasPrefix("/") ? nil : " to <strong>\(AddressName.text(of: address))</strong>"
        return page(
            title: title,
            """
            <p>You continue\(place). If the page does not open automatically, open it now:</p>
            <p><a class="button block" href="\(link: address)">Continue</a></p>
            """
        ).response(leadingTo: address, after: method)
    }

    /// Returns the page for a failed sign-in that cannot be reported to an app.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - title: The title of the page.
    ///   - sentence: What failed.
    ///   - again: The address where the browser can start again. Nil when only an app can start again.
    ///   - account: The account at the identity provider. Nil when it is not known or does not matter.
    ///   - otherAccount: The address where the browser can start with another account. Nil for no such link.
    /// - Returns: The page.
    package func failed(
        _ status: HTTPStatus, title: String = "You are not signed in", _ sentence: String, again: String? = nil,
        account: String? = nil, otherAccount: String? = nil
    ) -> ServerResponse {
        let kind = otherAccount == nil ? "" : " other"
        return page(
            title: title,
            """
            <p>\(sentence)</p>
            \(account.map { "<p>Your account at the identity provider: <strong>\($0)</strong>.</p>" as HTML })
            \(otherAccount.map {
                "<p><a class=\"button block\" href=\"\(link: $0)\">Use another account</a></p>" as HTML
            })
            \(again.map { "<p><a class=\"button block\(kind)\" href=\"\(link: $0)\">Try again</a></p>" as HTML }
                ?? "<p class=\"quiet\">Go back to the app that sent you here, and sign in there again.</p>")
            """
        ).response(status: status)
    }

    /// The page for a callback without a known sign-in. The browser may come from an app or from the sign-in page.
    var unknownCallback: ServerResponse {
        failed(
            .badRequest, title: "The sign-in has ended",
            "It was completed already, took too long, or was started in another browser. If an app sent you here and "
                + "you are not signed in there, go back to it and sign in again.",
            again: prefix.map { $0 + PagePath.signIn })
    }

    /// Returns the page for too many sign-ins from one address, with a link to the same request.
    func limited(_ request: ServerRequest) -> ServerResponse {
        let target = request.rawQuery.map { "\(request.path)?\($0)" } ?? request.path
        let again = request.method == .get ? ReturnAddress.check(target)?.text : nil
        return failed(
            .tooManyRequests, "Too many sign-ins from your network. Try again in a minute.", again: again)
    }

    /// Returns the page on which a person chooses an identity provider.
    package func choice(_ providers: [ProviderButton]) -> ServerResponse {
        var page = WebPage(title: "Sign in to \(server)", "\(providers.map(\.html))")
        page.server = server
        page.isHeadingAbove = true
        return page.response()
    }

    /// Returns the address of the sign-in page for a browser that was to continue at `next`. Nil when the sign-in pages
    /// are off.
    func signIn(goingOnTo next: String) -> String? {
        guard let prefix else { return nil }
        // The query of this page contains the address where the person wanted to go.
        let parts = next.split(separator: "?", maxSplits: 1)
        guard parts.first.map(String.init) == prefix + PagePath.signedIn else {
            return prefix + PagePath.signIn(returningTo: next)
        }
        let fields = parts.count == 2 ? try? FormURLEncoded.decode(String(parts[1])) : nil
        return prefix + (fields?["return"].map { PagePath.signIn(returningTo: $0) } ?? PagePath.signIn)
    }

    private func page(title: String, _ content: HTML) -> WebPage {
        var page = WebPage(title: title, content)
        page.server = server
        return page
    }
}
