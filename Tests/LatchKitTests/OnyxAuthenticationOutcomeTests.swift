import HTTPClient
import HTTPMessages
import LatchKit
import Testing

@Suite struct OnyxAuthenticationOutcomeTests {
    private let server = try! ServerAddress("https://onyx.example.org")

    private func verdict(_ status: Int, _ body: String, _ headers: HTTPHeaders = [:], path: String = "/api/me")
        -> AuthenticationOutcome
    {
        var headers = headers
        if headers["Content-Type"] == nil { headers["Content-Type"] = "application/json" }
        let response = ClientResponse(status: HTTPStatus(rawValue: status), headers: headers, body: Array(body.utf8))
        return OnyxDialect().authenticationOutcome(of: response, to: path, at: server)
    }

    private func isForeign(_ verdict: AuthenticationOutcome) -> Bool {
        if case .intercepted = verdict { true } else { false }
    }

    @Test(
        "Onyx's error codes end a session",
        arguments: ["SESSION_EXPIRED", "SESSION_TERMINATED", "SESSION_UNRECOGNIZED"])
    func rejected(code: String) {
        guard case .rejected(let rejection) = verdict(403, #"{"error_code":"\#(code)","detail":"x"}"#) else {
            Issue.record("not rejected")
            return
        }
        #expect(rejection.reason == code)
        #expect(rejection.isConclusive)
    }

    @Test("a bare Unauthorized is an inconclusive rejection", arguments: [401, 403])
    func inconclusive(status: Int) {
        guard case .rejected(let rejection) = verdict(status, #"{"detail":"Unauthorized"}"#) else {
            Issue.record("not rejected")
            return
        }
        #expect(!rejection.isConclusive)
    }

    @Test("an anonymous user in the identity response is a rejection")
    func anonymous() {
        let body = #"{"id":"0","email":"anonymous","is_active":true,"is_anonymous_user":true}"#
        guard case .rejected = verdict(200, body) else {
            Issue.record("not rejected")
            return
        }
        #expect(verdict(200, body, path: "/api/other") == .authenticated)
    }

    @Test(
        "other refusals of this server end no session",
        arguments: [
            (403, #"{"detail":"Forbidden"}"#), (403, #"{"error_code":"INSUFFICIENT_PERMISSIONS","detail":"x"}"#),
            (402, #"{"detail":"Payment"}"#), (404, "{}"), (400, #"{"message":"x"}"#), (200, ""), (204, ""),
        ])
    func authenticated(status: Int, body: String) {
        #expect(verdict(status, body) == .authenticated)
    }

    @Test("a server error ends no session", arguments: [408, 429, 500, 502, 503, 504])
    func failing(status: Int) {
        #expect(verdict(status, "<html>", ["Content-Type": "text/html"]) == .failing)
    }

    @Test("other servers' responses end no session and are named")
    func interceptedResponses() {
        let html: HTTPHeaders = ["Content-Type": "text/html; charset=utf-8"]
        #expect(isForeign(verdict(200, "<!doctype html><title>Sign in</title>", html)))
        #expect(isForeign(verdict(200, "<html>", ["Content-Type": "text/plain"])))
        #expect(isForeign(verdict(401, "<html>", html)))
        #expect(isForeign(verdict(403, "<html>", html)))
        #expect(isForeign(verdict(302, "", ["Location": "https://portal.example/login?u=1"])))
        #expect(isForeign(verdict(302, "", ["Location": "//portal.example/login"])))
        #expect(isForeign(verdict(303, "", ["Location": "/oauth2/sign_in"])))
        #expect(isForeign(verdict(302, "", ["Location": "http://onyx.example.org/api/me"])))
        #expect(isForeign(verdict(511, "")))
        #expect(isForeign(verdict(407, "")))
        #expect(isForeign(verdict(401, #"{"detail":"Unauthorized"}"#, ["WWW-Authenticate": "Basic realm=\"nas\""])))
        #expect(isForeign(verdict(401, #"{"error":"unauthorized"}"#)))
        #expect(isForeign(verdict(401, "")))
        #expect(isForeign(verdict(401, "Unauthorized", ["Content-Type": "text/plain"])))
        #expect(isForeign(verdict(403, #"{"detail":"Unauthorized"}"#, ["Content-Type": "text/plain"])))
    }
}
