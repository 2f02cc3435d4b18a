import GatewayHTTP
import HTTPMessages
import HTTPServer
import LatchGateway

/// The authorization response, sent through the browser with a redirect or a form.
///
/// Source: RFC 6749 §4.1.2; RFC 9207 §2; OAuth 2.0 Form Post Response Mode §2.
struct AuthorizationResponder {
    let destination: AuthorizationQuery.Return
    let issuer: String
    var fault: Fault?

    func refusal(_ error: String, _ description: String) -> ServerResponse {
        response([("error", error), ("error_description", description)])
    }

    func refusal(_ refusal: AuthorizationQuery.Refusal) -> ServerResponse {
        self.refusal(refusal.error, refusal.description)
    }

    func code(_ code: String) -> ServerResponse {
        switch fault {
        case .noCode: response([])
        case .codeTwice: response([("code", code), ("code", code)])
        case .unknownCode: response([("code", "there-is-no-such-code")])
        default: response([("code", code)])
        }
    }

    private func response(_ pairs: [(String, String)]) -> ServerResponse {
        var pairs = pairs
        if let state = destination.state, fault != .noState {
            pairs.append(("state", fault == .wrongState ? "another-state" : state))
        }
        if fault != .noResponseIssuer {
            pairs.append(("iss", fault == .wrongResponseIssuer ? IDToken.foreignIssuer : issuer))
        }
        switch destination.responseMode {
        case .query: return redirect(pairs)
        case .formPost: return form(pairs)
        }
    }

    private func redirect(_ pairs: [(String, String)]) -> ServerResponse {
        let separator = destination.redirect.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return ServerResponse(
            status: .seeOther,
            headers: [
                "Location": destination.redirect + separator + FormURLEncoded.encode(pairs),
                "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
            ])
    }

    private func form(_ pairs: [(String, String)]) -> ServerResponse {
        let fields = pairs.map { name, value in
            "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">" as HTML
        }
        var page = WebPage(
            title: "Return to \(destination.client.name)",
            """
            <form method="post" action="\(link: destination.redirect)">
            \(fields)
            <button type="submit" class="block">Continue</button>
            </form>
            """)
        page.server = "Sandbox provider"
        page.formTargets = .anywhere
        page.script = WebPage.submitScript
        return page.response()
    }
}
