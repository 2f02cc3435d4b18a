import FoundationEssentials
import HTTPMessages
import OAuth
import TestSupport

/// The forms with which a person decides. Their fields come from the page, so no client has values of its own.
extension HostileEndpoint {
    private static let formToken = Row("form_token", "403", "ok", "403", "403", "AAAA")

    /// The client that the person saw. With another one, the page is shown again.
    private static func shownClient(_ page: String) -> Row { Row("shown_client", page, "ok", page, page, "AAAA") }

    static let pages = [
        HostileEndpoint(
            name: "the form of the consent page",
            rows: [
                formToken, Row("handle", "page", "ok", "page", "page", "unknown"),
                Row("decision", "page", "ok", "access_denied", "access_denied", "deny"), shownClient("200"),
            ],
            valid: { hostile, client in
                let request = hostile.authorization(of: client) + [("prompt", "consent")]
                let page = try await hostile.fixture.open(request)
                let form = try PageBrowser.form("/oauth2/authorize", in: page.text).orThrow
                return PageBrowser.hiddenFields(of: form) + [("decision", "allow")]
            },
            send: { hostile, form in
                let response = try await hostile.fixture.browser.post("/oauth2/authorize", form)
                return try HostileFixture.authorizationOutcome(response)
            }),
        HostileEndpoint(
            name: "the form of the device page",
            rows: [
                formToken, Row("user_code", "404", "ok", "404", "404", "BBBB-BBBB"),
                Row("decision", "question", "ok", "denied", "denied", "deny"), shownClient("question"),
            ],
            valid: { hostile, client in
                let codes = try await hostile.fixture.codes([
                    ("client_id", client.id), ("client_secret", client.secret),
                ])
                let page = try await hostile.fixture.enter(codes.userCode)
                let form = try PageBrowser.form(OAuthFixture.devicePage, in: page.text).orThrow
                return PageBrowser.hiddenFields(of: form) + [("decision", "allow")]
            },
            send: { hostile, form in
                let response = try await hostile.fixture.browser.post(OAuthFixture.devicePage, form)
                guard response.status == 200 else { return "\(response.status)" }
                if response.text.contains("You allowed") { return "ok" }
                return response.text.contains("The device was not signed in") ? "denied" : "question"
            }),
    ]
}
