import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway

/// Signing in as clients of Immich do, over HTTP.
@Suite(.timeLimit(.minutes(20)))
struct ImmichSignInTests {
    @Test("IM-5 a sign-in returns 201 with every member that 3.1.0 has")
    func signsIn() async throws {
        try await ImmichFixture.with { fixture in
            let response = try await fixture.login(headers: [("deviceModel", "Pixel 7"), ("deviceType", "Android")])

            #expect(response.status == 201)
            let names = Set(response.json?.members?.map(\.name) ?? [])
            #expect(
                names == [
                    "accessToken", "userId", "userEmail", "name", "profileImagePath", "isAdmin",
                    "shouldChangePassword", "isOnboarded",
                ])
            #expect(response.json?["userEmail"]?.string == GatewayFixture.email)
            #expect(response.json?["accessToken"]?.string?.utf8.count == 43)
            #expect(response.json?["userId"]?.string.flatMap(ImmichRouting.id) != nil)
            #expect(response.headers["Cache-Control"] == "no-store")
            let session = try await fixture.base.gateway.stores.sessions.list().first
            #expect(session?.device == SessionDevice(name: "Pixel 7", kind: "Android", address: "127.0.0.1"))
        }
    }

    @Test("IM-5 a sign-in sets the three cookies of the app")
    func setsCookies() async throws {
        try await ImmichFixture.with { fixture in
            let response = try await fixture.login()
            let cookies = response.cookies
            let token = try response.json?["accessToken"]?.string.orThrow ?? ""

            #expect(cookies.count == 3)
            #expect(
                cookies["immich_access_token"]
                    == "\(token); Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax")
            #expect(cookies["immich_auth_type"] == "password; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax")
            #expect(cookies["immich_is_authenticated"] == "true; Path=/; Max-Age=34560000; SameSite=Lax")
        }
    }

    @Test("IM-5 a browser's User-Agent takes precedence over the two headers")
    func prefersUserAgent() async throws {
        try await ImmichFixture.with { fixture in
            let agent =
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36"
            _ = try await fixture.login(
                headers: [("User-Agent", agent), ("deviceModel", "Pixel 7"), ("deviceType", "Android")])

            let session = try await fixture.base.gateway.stores.sessions.list().first
            #expect(session?.device == SessionDevice(name: "Chrome", kind: "Linux", address: "127.0.0.1"))
        }
    }

    @Test("IM-5 a wrong password, an unknown and a disabled person get the same response")
    func uniformRefusals() async throws {
        try await ImmichFixture.with { fixture in
            try await fixture.base.addPerson("admin@local")
            let people = fixture.base.gateway.stores.people
            try await people.disable(try await people.require("admin@local").id)

            let answers = [
                try await fixture.login(password: "wrong"), try await fixture.login("nobody@example.org"),
                try await fixture.login("admin@local"),
            ]

            for response in answers {
                #expect(response.status == 401)
                #expect(response.text == #"{"message":"Incorrect email or password"}"#)
                #expect(response.headers["Set-Cookie"] == nil)
            }
        }
    }

    @Test("IM-5 an address whose domain has no dot is valid, in upper or lower case")
    func acceptsLocalDomains() async throws {
        try await ImmichFixture.with { fixture in
            try await fixture.base.addPerson("admin@local")
            #expect(try await fixture.login("Admin@Local").status == 201)
        }
    }

    @Test(
        "IM-5 an invalid request is reported with every wrong member",
        arguments: [
            (#"{}"#, ["email", "password"]), (#"{"email":"a@b"}"#, ["password"]),
            (#"{"email":"no address","password":"x"}"#, ["email"]),
            (#"{"email":1,"password":[]}"#, ["email", "password"]),
            (#"["#, ["email", "password"]), (#"7"#, ["", "email", "password"]),
        ])
    func reportsInvalidMembers(_ body: String, _ members: [String]) async throws {
        try await ImmichFixture.with { fixture in
            let response = try await fixture.base.http.send(
                "POST", "/immich/api/auth/login", headers: [("Content-Type", "application/json")], body: body)

            #expect(response.status == 400)
            #expect(response.refusal == "Validation failed")
            let paths = response.json?["errors"]?.array?.map { $0["path"]?.array?.first?.string ?? "" }
            #expect(paths == members)
        }
    }

    @Test("IM-5 too many failures get 429 with the time to wait")
    func limits() async throws {
        try await ImmichFixture.with {
            $0.accountLimit.attempts = 2
        } _: { fixture in
            for _ in 0..<2 { _ = try await fixture.login(password: "wrong") }
            let response = try await fixture.login()

            #expect(response.status == 429)
            #expect(response.headers["Retry-After"] == "30")
        }
    }

    @Test("IM-5 if passwords are off, sign-ins with a password are refused")
    func refusesPasswords() async throws {
        try await ImmichFixture.with {
            $0.passwordsEnabled = false
        } _: { fixture in
            let response = try await fixture.login()
            #expect(response.status == 401)
            #expect(response.refusal == "Password login has been disabled")
        }
    }

    @Test(
        "IM-9 a token is accepted in every header of the app and in its cookie",
        arguments: ImmichFixture.Place.allCases)
    func acceptsTokens(_ place: ImmichFixture.Place) async throws {
        try await ImmichFixture.with { fixture in
            let token = try await fixture.token()
            #expect(try await fixture.send("GET", "/users/me", token, in: place).status == 200)
            #expect(try await fixture.send("POST", "/auth/validateToken", token, in: place).status == 200)
            let refused = try await fixture.send("GET", "/users/me", String(token.reversed()), in: place)
            #expect(refused.status == 401)
            #expect(refused.refusal == "Invalid user token")
        }
    }

    @Test("IM-9 the first source counts: an expired x-immich-user-token takes precedence over a valid bearer")
    func tokenPrecedence() async throws {
        try await ImmichFixture.with { fixture in
            let token = try await fixture.token()
            let stale = [("x-immich-user-token", "stale")]
            #expect(try await fixture.send("GET", "/users/me", token, headers: stale).status == 401)
            let cookie = [("Cookie", "immich_access_token=stale")]
            #expect(try await fixture.send("GET", "/users/me", token, headers: cookie).status == 200)
            #expect(
                try await fixture.send("GET", "/users/me", token, headers: [("x-immich-share-key", "k")]).status == 401)
        }
    }

    @Test("IM-9 a token in the query is refused, even a valid one", arguments: ["sessionKey", "apiKey", "key", "slug"])
    func refusesTokensInQuery(_ name: String) async throws {
        try await ImmichFixture.with { fixture in
            let token = try await fixture.token()
            #expect(try await fixture.send("GET", "/users/me?\(name)=\(token)").status == 401)
            #expect(!fixture.base.lines.text.leaks(token))
        }
    }

    @Test("IM-9 a page of another site cannot change anything with the cookie")
    func refusesCrossSitePages() async throws {
        try await ImmichFixture.with { fixture in
            let token = try await fixture.token()
            for header in [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site"), ("Origin", "null")] {
                let response = try await fixture.send("POST", "/auth/logout", token, in: .cookie, headers: [header])
                #expect(response.status == 403)
            }
            let own = try await fixture.send(
                "POST", "/auth/validateToken", token, in: .cookie, headers: [("Sec-Fetch-Site", "same-origin")])
            #expect(own.status == 200)
        }
    }

    @Test("IM-10 the person is described with every member that 3.1.0 to 3.3 have")
    func describesPerson() async throws {
        try await ImmichFixture.with { fixture in
            let response = try await fixture.send("GET", "/users/me", try await fixture.token())

            #expect(response.status == 200)
            let names = Set(response.json?.members?.map(\.name) ?? [])
            #expect(
                names == [
                    "clusterGroupId", "id", "email", "name", "profileImagePath", "avatarColor", "profileChangedAt",
                    "storageLabel",
                    "shouldChangePassword", "isAdmin", "createdAt", "updatedAt", "deletedAt", "oauthId",
                    "quotaSizeInBytes", "quotaUsageInBytes", "status", "license",
                ])
            #expect(response.json?["deletedAt"] == .null)
            #expect(response.json?["status"]?.string == "active")
        }
    }

    @Test("IM-10 the response is 401 without a token and after the session has ended")
    func refusesUnauthenticated() async throws {
        try await ImmichFixture.with { fixture in
            let none = try await fixture.send("GET", "/users/me")
            #expect(none.status == 401)
            #expect(none.refusal == "Authentication required")
            #expect(none.headers["WWW-Authenticate"] == "Bearer")
            let token = try await fixture.token()
            try await fixture.base.gateway.stores.people.disable(try await fixture.person().id)
            #expect(try await fixture.send("GET", "/users/me", token).status == 401)
        }
    }

    @Test("IM-11 signing out ends the session for every dialect and deletes the cookies")
    func signsOut() async throws {
        try await ImmichFixture.with { fixture in
            let token = try await fixture.token()
            #expect(try await fixture.base.me(token).status == 200)

            let response = try await fixture.send("POST", "/auth/logout", token)

            #expect(response.status == 200)
            #expect(response.json?["successful"] == true)
            #expect(response.json?["redirectUri"]?.string == "/auth/login?autoLaunch=0")
            #expect(response.cookies["immich_access_token"]?.hasPrefix("; Path=/; Max-Age=0") == true)
            #expect(try await fixture.send("POST", "/auth/validateToken", token).refusal == "Invalid user token")
            #expect(try await fixture.base.me(token).status == 403)
            #expect(try await fixture.send("POST", "/auth/logout", token).status == 401)
        }
    }

    @Test("a session of another dialect is valid in this one")
    func sharesSessions() async throws {
        try await ImmichFixture.with { fixture in
            let token = try await fixture.base.token()
            #expect(try await fixture.send("GET", "/users/me", token).status == 200)
        }
    }
}
