import HTTPClient
import HTTPMessages
import LatchSandbox
import TestSupport
import Testing

/// The authorization endpoint.
@Suite(.timeLimit(.minutes(20))) struct AuthorizationTests {
    @Test("The page is one form with labels, posts to its own address and needs no script")
    func page() async throws {
        try await RelyingApp.with { app in
            let response = try await app.open(app.address(["login_hint": "bob@example.org"]))

            #expect(response.status == .ok)
            for name in ["email", "password", "action", "share", "fault", "algorithm", "claims"] {
                #expect(response.text.contains("name=\"\(name)\""))
            }
            #expect(response.text.contains("type=\"email\" value=\"bob@example.org\""))
            #expect(response.text.contains("&lt;Bob&gt; &amp; &quot;Co&quot;"))
            #expect(response.text.contains("name=\"viewport\""))
            #expect(!response.text.contains("<script"))
            for fault in Fault.allCases { #expect(response.text.contains("value=\"\(fault.rawValue)\"")) }
        }
    }

    @Test("The page forbids scripts, framing, caching and referrers")
    func headers() async throws {
        try await RelyingApp.with { app in
            let response = try await app.open(app.address())
            let policy = try #require(response.headers["Content-Security-Policy"])

            #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
            #expect(policy.contains("frame-ancestors 'none'") && policy.contains("base-uri 'none'"))
            #expect(!policy.contains("unsafe") && !policy.contains("script-src"))
            #expect(response.headers["X-Frame-Options"] == "DENY")
            #expect(response.headers["Referrer-Policy"] == "no-referrer")
            #expect(response.headers["Cache-Control"] == "no-store")
        }
    }

    @Test("Parameters in the address cannot become markup")
    func markup() async throws {
        try await RelyingApp.with { app in
            let hint = "\"><script>alert(1)</script>"
            let response = try await app.open(app.address(["login_hint": hint, "scope": "openid <b>", "state": hint]))
            #expect(response.status == .ok)
            #expect(!response.text.contains("<script") && !response.text.contains("<b>"))
        }
    }

    @Test("A person who allows is redirected with code, state and iss")
    func allow() async throws {
        try await RelyingApp.with { app in
            let callbackFields = try RelyingApp.callbackFields(await app.fill(app.address()))
            #expect(callbackFields["state"] == "the state")
            #expect(callbackFields["iss"] == app.provider.issuer)
            #expect(callbackFields["code"]?.isEmpty == false && callbackFields["error"] == nil)
        }
    }

    @Test("A person who denies is redirected with access_denied, without a password")
    func deny() async throws {
        try await RelyingApp.with { app in
            let callbackFields = try RelyingApp.callbackFields(
                await app.fill(app.address(), password: "", action: "deny"))
            #expect(callbackFields["error"] == "access_denied" && callbackFields["code"] == nil)
            #expect(callbackFields["state"] == "the state" && callbackFields["iss"] == app.provider.issuer)
        }
    }

    @Test("After a wrong password or an unknown person the page is shown again with the typed address")
    func wrongPassword() async throws {
        try await RelyingApp.with { app in
            for (email, password) in [("ada@example.org", "bob's password"), ("eve@example.org", "x"), ("", "")] {
                let response = try await app.fill(app.address(), email: email, password: password)
                #expect(response.status == .forbidden)
                #expect(response.text.contains("role=\"alert\"") && response.text.contains("value=\"\(email)\""))
                #expect(response.headers["Set-Cookie"] == nil)
            }
        }
    }

    @Test("A redirect's query is kept")
    func redirectWithQuery() async throws {
        try await RelyingApp.with { app in
            let response = try await app.fill(app.address(["redirect_uri": RelyingApp.redirect + "?kept=1"]))
            #expect(response.headers["Location"]?.hasPrefix(RelyingApp.redirect + "?kept=1&code=") == true)
        }
    }

    @Test(
        "A redirect that differs from the registered one in any character is refused",
        arguments: [
            "https://app.example/callback/", "https://app.example/Callback", "https://app.example/callback?x=1",
            "https://app.example:443/callback", "https://evil.example/callback", "",
        ])
    func otherRedirect(_ redirect: String) async throws {
        try await RelyingApp.with { app in
            for response in try await [
                app.open(app.address(["redirect_uri": redirect])), app.fill(app.address(["redirect_uri": redirect])),
            ] {
                #expect(response.status == .badRequest && response.headers["Location"] == nil)
                #expect(response.text.contains("Sign-in is not possible"))
            }
        }
    }

    @Test("An unknown client and a repeated client_id are reported to the person only")
    func otherClient() async throws {
        try await RelyingApp.with { app in
            for address in [app.address(["client_id": "x"]), app.address(more: [("client_id", "the:app")])] {
                let response = try await app.open(address)
                #expect(response.status == .badRequest && response.headers["Location"] == nil)
            }
        }
    }

    @Test(
        "An invalid request is reported to the client",
        arguments: [
            (["response_type": "token"], "unsupported_response_type"), (["scope": "email"], "invalid_scope"),
            (["code_challenge_method": "plain"], "invalid_request"),
            (["code_challenge_method": nil], "invalid_request"),
            (["code_challenge": nil], "invalid_request"), (["code_challenge": "short"], "invalid_request"),
            (["response_mode": "fragment"], "invalid_request"), (["prompt": "none login"], "invalid_request"),
            (["prompt": "sing"], "invalid_request"), (["max_age": "-1"], "invalid_request"),
            (["request": "x"], "request_not_supported"), (["request_uri": "x"], "request_uri_not_supported"),
        ] as [([String: String?], String)])
    func refusals(_ changes: [String: String?], _ error: String) async throws {
        try await RelyingApp.with { app in
            let callbackFields = try RelyingApp.callbackFields(await app.open(app.address(changes)))
            #expect(callbackFields["error"] == error && callbackFields["error_description"]?.isEmpty == false)
            #expect(callbackFields["state"] == "the state" && callbackFields["iss"] == app.provider.issuer)
        }
    }

    @Test("A repeated parameter is refused")
    func twice() async throws {
        try await RelyingApp.with { app in
            let callbackFields = try RelyingApp.callbackFields(await app.open(app.address(more: [("nonce", "other")])))
            #expect(callbackFields["error"] == "invalid_request")
        }
    }

    @Test("With form_post the response is a form that posts itself, under a policy that allows only that script")
    func formPost() async throws {
        try await RelyingApp.with { app in
            let response = try await app.fill(app.address(["response_mode": "form_post", "state": "<\">"]))
            #expect(response.status == .ok && response.headers["Location"] == nil)
            #expect(response.text.contains("<form method=\"post\" action=\"\(RelyingApp.redirect)\">"))
            #expect(response.text.contains("name=\"state\" value=\"&lt;&quot;&gt;\""))
            #expect(response.text.contains("name=\"code\"") && response.text.contains("name=\"iss\""))
            #expect(response.headers["Content-Security-Policy"]?.contains("script-src 'sha256-") == true)

            let denied = try await app.fill(app.address(["response_mode": "form_post"]), action: "deny")
            #expect(denied.text.contains("name=\"error\" value=\"access_denied\""))
        }
    }

    @Test("The request may be a posted form")
    func postedRequest() async throws {
        try await RelyingApp.with { app in
            let query = try #require(app.address().split(separator: "?").last)
            let fields = try FormURLEncoded.decode(String(query)).map { ($0.name, $0.value) }
            let response = try await app.post(app.provider.issuer + "/authorize", fields)
            #expect(response.status == .ok && response.text.contains("name=\"password\""))
            #expect(response.text.contains("action=\"/authorize?client_id=the%3Aapp"))
        }
    }
}
