package import GatewayCore
import GatewayHTTP
package import HTTPMessages
package import HTTPServer

extension PageRoutes {
    /// Returns a redirect to a path below the prefix.
    package func seeOther(_ path: String) -> ServerResponse {
        Self.redirect(to: prefix + path)
    }

    /// Returns a redirect that a browser follows with GET. After a form it must lead to a page below the prefix, see
    /// ``WebPage/FormTargets``.
    ///
    /// Source: RFC 9110 §15.4.4; RFC 9700 §4.12.
    package static func redirect(to address: String) -> ServerResponse {
        .redirect(to: address, status: .seeOther)
    }

    /// Redirects a browser to the sign-in page, which later leads back to the requested page.
    func signInFirst(_ request: ServerRequest) -> ServerResponse {
        seeOther(PagePath.signIn(returningTo: plainTarget(of: request)))
    }

    /// Redirects a browser that is no longer signed in, and sent a form, to the sign-in page. That page says so, and later
    /// leads back to the page of the form.
    func signInAgain(_ request: ServerRequest) -> ServerResponse {
        guard request.path != prefix + PagePath.signOut else { return seeOther(PagePath.signIn + "?done=out") }
        let page = formPage(of: request) ?? prefix + PagePath.account
        return seeOther(PagePath.signIn + "?" + FormURLEncoded.encode([("done", "ended"), ("return", page)]))
    }

    /// Redirects a browser to the page for a new password, which later leads back to the requested page.
    func changePasswordFirst(_ request: ServerRequest) -> ServerResponse {
        seeOther(PagePath.password + "?" + FormURLEncoded.encode([("return", plainTarget(of: request))]))
    }

    /// Returns the response to too many changes in a short time.
    package func tooMany(_ wait: Duration) -> ServerResponse {
        plain(
            .tooManyRequests, title: "Too many changes",
            sentence: "You made too many changes in a short time. Try again in "
                + "\(ReadableTime.length(wait, isWait: true))."
        ).retry(after: wait)
    }

    /// Returns the response to a request for another host than the pages' own, or nil when this host serves the
    /// request.
    ///
    /// Sign-in and sign-out are also served on each host with a separate cookie.
    ///
    /// Source: RFC 9110 §15.4.4 and §15.5.20.
    func wrongHostResponse(_ request: ServerRequest, isForSignIn: Bool = false) -> ServerResponse? {
        let place = home.place(of: request)
        guard place != .own, !isForSignIn || home.signsIn(request) else { return nil }
        guard request.method == .get || request.method == .head else {
            return ownAddressPage(
                .forbidden, title: "The form was not accepted",
                sentence: "This server accepts forms only at the address of its pages. Nothing was changed.")
        }
        guard place == .known else {
            return misdirected(request.headers["Host"])
        }
        return Self.redirect(to: home.link(isForSignIn ? ownSignInPath(request) : plainTarget(of: request)))
    }

    /// Returns the path of the sign-in page on the pages' own host, with the return address on the host of a request.
    private func ownSignInPath(_ request: ServerRequest) -> String {
        guard let named = request.query("return") else { return prefix + PagePath.signIn }
        let back = named.hasPrefix("/") ? home.back(named, to: request) : named
        return prefix + PagePath.signIn + "?" + FormURLEncoded.encode([("return", back ?? named)])
    }

    /// Returns the response to a request with an unknown `Host`.
    package func misdirected(_ host: String?) -> ServerResponse {
        ownAddressPage(
            .misdirectedRequest, title: "This page has a different address",
            sentence: "The request was for the host '\(host ?? "")'. If you opened the address below, the proxy in "
                + "front of this server must pass on the browser's Host, including the port.")
    }

    private func ownAddressPage(_ status: HTTPStatus, title: String, sentence: String) -> ServerResponse {
        let account = home.link(prefix + PagePath.account)
        return card(
            status, title: title,
            """
            <p>\(sentence)</p>
            <p><a class="button block" href="\(link: account)">Go to your account</a></p>
            <p class="quiet">\(account)</p>
            """)
    }

    /// Returns the path and the query of a request. Returns the path of the account page when browsers could read the
    /// address in another way.
    private func plainTarget(of request: ServerRequest) -> String {
        let target = request.rawQuery.map { "\(request.path)?\($0)" } ?? request.path
        return ReturnAddress.check(target)?.text ?? prefix + PagePath.account
    }

    /// Returns the path and the query of the page whose form a browser sent. Nil when the browser does not name a page
    /// of this server.
    private func formPage(of request: ServerRequest) -> String? {
        guard cookie.comesFromOwnPage(request), let page = request.headers["Referer"],
            let path = page.firstRange(of: "://").flatMap({ page[$0.upperBound...].firstIndex(of: "/") })
        else { return nil }
        return ReturnAddress.check(String(page[path...]))?.text
    }

    /// Makes a page with one sentence.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - title: The title of the page.
    ///   - sentence: The sentence.
    ///   - again: The address of the link "Try again"; nil when that would not help.
    /// - Returns: The page.
    package func plain(
        _ status: HTTPStatus, title: String, sentence: String, again: String? = nil
    ) -> ServerResponse {
        card(
            status, title: title,
            """
            <p>\(sentence)</p>
            \(again.map { "<p><a class=\"button block\" href=\"\(link: $0)\">Try again</a></p>" as HTML })
            <p><a class="button block\(again == nil ? "" : " other")" href="\(link: prefix + PagePath.account)">\
            Go to your account</a></p>
            """)
    }

    /// Returns a page with one card below the server's name.
    package func card(_ status: HTTPStatus, title: String, _ content: HTML) -> ServerResponse {
        var page = WebPage(title: title, content)
        page.server = self.title
        return page.response(status: status)
    }

    /// The response for a page that does not exist.
    package var notFound: ServerResponse {
        plain(
            .notFound, title: "Page not found",
            sentence: "The address may be wrong, or the page no longer exists.")
    }

    /// The response to a form from another site, or for another session.
    var invalidForm: ServerResponse {
        plain(
            .forbidden, title: "The form was not accepted",
            sentence: "It did not come from a page of this server, or you have signed in again since you opened the "
                + "page. Nothing was changed. Go back, reload the page and try again.")
    }

    /// Returns the response to an error that a route does not handle itself.
    package func failure(_ error: any Error, _ request: ServerRequest) -> ServerResponse {
        switch error {
        case let error as GatewayError where [.busy, .closed].contains(error.code):
            return unavailable(
                "Too many people are signing in now. Try again in a few seconds.", retryAfter: 2, for: request)
        case let error as GatewayError where error.code == .lastAdministrator:
            return plain(
                HTTPStatus(rawValue: 409), title: "The server needs an administrator", sentence: error.message)
        case let error as GatewayError where error.code == .unknownPerson:
            return plain(HTTPStatus(rawValue: 409), title: "Nothing was changed", sentence: error.message)
        case let error as GatewayError where error.code == .sessionEnded:
            return request.method == .post ? signInAgain(request) : signInFirst(request)
        case let error as GatewayError where error.code == .administratorsOnly: return administratorsOnly
        case is CancellationError: return unavailable("The request was cancelled.", retryAfter: 1, for: request)
        default: break
        }
        services.log.failure("A request for a page failed.", error, request: request.id)
        return unavailable("The server cannot respond now. Try again in a minute.", retryAfter: 5, for: request)
    }

    private func unavailable(
        _ sentence: String, retryAfter seconds: Int, for request: ServerRequest
    ) -> ServerResponse {
        let again = request.method == .get ? plainTarget(of: request) : formPage(of: request)
        var response = plain(
            .serviceUnavailable, title: "Temporarily unavailable", sentence: sentence, again: again)
        response.headers["Retry-After"] = String(seconds)
        return response
    }

    /// Returns a page for a signed-in person, with the header of the site.
    func framed(_ title: String, _ content: HTML, for visit: SignedInRequest, at place: String) -> WebPage {
        var page = WebPage(title: "\(title) - \(self.title)", content)
        page.heading = title
        page.formTargets = .own
        page.header =
            PageHeader(
                title: self.title, prefix: prefix, current: place, isAdministrator: visit.person.isAdministrator,
                token: tokens.token(of: .session(visit.session.id))
            ).html
        return page
    }

    /// Returns the form with which a person who is somebody else signs out and then signs in for the same page.
    ///
    /// - Parameters:
    ///   - session: The session of the browser.
    ///   - path: The path and query of the page.
    /// - Returns: The form. Its page needs ``WebPage/FormTargets/own``.
    package func notYou(_ session: SessionID, returningTo path: String) -> HTML {
        """
        <form method="post" action="\(link: prefix + PagePath.signOut)">
        \(Self.hidden(tokens.token(of: .session(session))))
        <input type="hidden" name="return" value="\(path)">
        <button type="submit" class="block plain">Not you? Sign out</button>
        </form>
        """
    }

    /// Returns the hidden field with the token that every form of a visitor needs.
    package func hidden(_ visit: SignedInRequest) -> HTML {
        Self.hidden(tokens.token(of: .session(visit.session.id)))
    }

    package static func hidden(_ token: String) -> HTML {
        "<input type=\"hidden\" name=\"\(FormTokens.field)\" value=\"\(token)\">"
    }
}
