import Database
import HTTPServer
import Wire

extension PageRoutes {
    /// A redirect to a path below the prefix.
    func seeOther(_ path: String) -> ServerResponse {
        Self.redirect(to: prefix + path)
    }

    /// A redirect that makes a browser ask by GET.
    ///
    /// Source: RFC 9110 §15.4.4; RFC 9700 §4.12.
    static func redirect(to address: String) -> ServerResponse {
        ServerResponse(
            status: .seeOther,
            headers: ["Location": address, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"])
    }

    /// Sends a browser to the sign-in, from where it comes back to the page that it asked for.
    func signInFirst(_ request: ServerRequest) -> ServerResponse {
        let path = request.rawQuery.map { "\(request.path)?\($0)" } ?? request.path
        let known = ReturnAddress.check(path)?.text ?? prefix + PagePath.account
        return seeOther(PagePath.signIn(returningTo: known))
    }

    /// A page that says one thing.
    func plain(_ status: HTTPStatus, _ title: String, _ sentence: String) -> ServerResponse {
        WebPage(
            title: title,
            """
            <p>\(sentence)</p>
            <p><a class="button" href="\(link: prefix + PagePath.account)">To your account</a></p>
            """
        ).response(status: status)
    }

    /// The answer where there is no such page.
    var notFound: ServerResponse {
        plain(.notFound, "There is no such page", "The address may have been mistyped, or what it named is gone.")
    }

    /// The answer to a form that another site made, or that was made for another session.
    var foreignForm: ServerResponse {
        plain(
            .forbidden, "The form was not accepted",
            "It did not come from a page of this server, or you have signed in anew since. Nothing was changed; go back, "
                + "load the page again and try once more.")
    }

    /// The answer to an error that no route has one of its own for.
    func failure(_ error: any Error, _ request: ServerRequest) -> ServerResponse {
        let values: KeyValuePairs<String, LogValue?>
        switch error {
        case let error as GatewayError where [.busy, .closed].contains(error.code):
            return later("Too many people are signing in at this moment. Try again in a few seconds.", 2)
        case is CancellationError: return later("The request was cancelled.", 1)
        case let error as DatabaseError: values = ["error": .text(error.message), "request": .text(request.id)]
        default: values = ["error": .text("\(type(of: error))"), "request": .text(request.id)]
        }
        services.log.error("A page failed.", values)
        return later("The server cannot answer now. Try again in a minute.", 5)
    }

    private func later(_ sentence: String, _ seconds: Int) -> ServerResponse {
        var response = plain(.serviceUnavailable, "Not at this moment", sentence)
        response.headers["Retry-After"] = String(seconds)
        return response
    }

    /// The frame of a page for somebody who is signed in.
    func framed(_ title: String, _ content: HTML, for visit: PageVisit, at place: String) -> WebPage {
        var page = WebPage(title: "\(title) - \(self.title)", content)
        page.heading = title
        page.formTargets = .own()
        page.header =
            PageHeader(
                title: self.title, prefix: prefix, current: place, isAdministrator: visit.person.isAdministrator,
                token: tokens.token(of: .session(visit.session.id))
            ).html
        return page
    }

    /// The hidden field of a visitor's forms.
    func hidden(_ visit: PageVisit) -> HTML {
        Self.hidden(tokens.token(of: .session(visit.session.id)))
    }

    static func hidden(_ token: String) -> HTML {
        "<input type=\"hidden\" name=\"\(FormTokens.field)\" value=\"\(token)\">"
    }
}
