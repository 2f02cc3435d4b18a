import FoundationEssentials
import HTTPMessages
import OpenIDConnect
import ServerMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore

/// Requests as such: where a key may be, the profile, and how many there may be.
@Suite(.timeLimit(.minutes(20))) struct RelateMailRequestTests {
    @Test("RM-6 a key is accepted only in a single Authorization field")
    func authorizationField() async throws {
        try await RelateMailFixture.with { fixture in
            let key = try await fixture.key()
            let encoded = key.text.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
            for path in ["api_key", "apiKey", "access_token", "key"] {
                #expect(try await fixture.profile(nil).status == 401)
                #expect(try await fixture.send("GET", "/api/profile?\(path)=\(encoded)", nil).status == 401)
            }
            for field in ["X-Api-Key", "X-API-KEY", "ApiKey", "X-Authorization", "Proxy-Authorization"] {
                #expect(try await fixture.send("GET", "/api/profile", nil, more: [(field, key.text)]).status == 401)
            }
            let cookie = ("Cookie", "latchd_session=\(key.text); apiKey=\(key.text)")
            #expect(try await fixture.send("GET", "/api/profile", nil, more: [cookie]).status == 401)
            let twice = [("Authorization", key.authorization)]
            #expect(try await fixture.send("GET", "/api/profile", key.authorization, more: twice).status == 401)
            for field in [
                "ApiKey", "ApiKey ", key.text, "ApiKey\t\(key.text)", "ApiKey:\(key.text)", "Basic \(key.text)",
                "Token \(key.text)", "ApiKey \(key.text),", "ApiKey \(key.text) x", "ApiKey, Bearer \(key.text)",
                "ApiKey \(key.text.dropLast())", "ApiKey =\(key.text.dropFirst())", "ApiKey \"\(key.text)\"",
                "ApiKey \(key.text)=", "Bearer ApiKey \(key.text)",
            ] {
                let response = try await fixture.profile(field)
                #expect(response.status == 401 && response.headers["WWW-Authenticate"] != nil, "\(field.prefix(12))")
            }
            #expect(try await fixture.profile("  ApiKey   \(key.text)  ").status == 200)
        }
    }

    @Test("RM-6 the profile is the same with a token, a session and a key")
    func profile() async throws {
        try await RelateMailFixture.with { fixture in
            try await fixture.base.addPerson()
            let token = try fixture.bearer()
            let key = try await fixture.key().authorization
            let session = "Bearer \(try await fixture.base.token())"

            let answers = [
                try await fixture.profile(token), try await fixture.profile(key), try await fixture.profile(session),
            ]

            for response in answers {
                let profile = try JSON.decode(RelateMailProfile.self, from: response.body)
                #expect(
                    profile.email == GatewayFixture.email && profile.displayName == "Ada" && profile.lastLoginAt != nil)
                #expect(UUID(uuidString: profile.id) != nil && profile.additionalAddresses.isEmpty)
                let first = try JSON.decode(RelateMailProfile.self, from: answers[0].body)
                #expect(profile.id == first.id && profile.createdAt == first.createdAt)
            }
        }
    }

    @Test("RM-6 a profile's name is changed, kept by null and removed by a blank value")
    func rename() async throws {
        try await RelateMailFixture.with { fixture in
            let key = try await fixture.key().authorization
            func put(_ body: JSONValue) async throws -> Exchange.Response {
                try await fixture.send("PUT", "/api/profile", key, body)
            }
            #expect(try await put(["displayName": "Ada \u{202E}L\u{0}"]).json?["displayName"] == "Ada L")
            #expect(try await fixture.profile(key).json?["displayName"] == "Ada L")
            #expect(try await put(["displayName": nil]).json?["displayName"] == "Ada L")
            #expect(try await put([:]).json?["displayName"] == "Ada L")
            #expect(try await put(["displayName": " "]).json?["displayName"] == .null)
            #expect(try await put(["displayName": 1]).status == 400)
            #expect(try await fixture.send("PUT", "/api/profile", nil, ["displayName": "x"]).status == 401)
            let text = try await fixture.base.http.send(
                "PUT", "/api/profile", headers: [("Authorization", key), ("Content-Type", "text/plain")], body: "{}")
            #expect(text.status == 415 && text.headers["Content-Type"] == "application/problem+json")
        }
    }

    @Test("RM-8 each client has its own limit: one that exceeds it must wait as reported, others need not")
    func limits() async throws {
        let change = { @Sendable (settings: inout GatewaySettings) in
            settings.requestRates.credentials = .perMinute(10)
            settings.requestRates.general = .perMinute(4)
            settings.requestRates.writes = .perMinute(2)
        }
        try await RelateMailFixture.with(change) { fixture in
            let ada = try await fixture.key()
            let bob = try await fixture.key(subject: "bob-1", email: "bob@example.org")
            for _ in 0..<9 { #expect(try await fixture.listed(ada.authorization).count == 1) }
            let limited = try await fixture.make(ada.authorization)
            #expect(limited.status == 429 && limited.body.isEmpty && limited.headers["Retry-After"] == "6")
            // Another key is the same person's.
            #expect(try await fixture.make(fixture.bearer()).status == 429)
            #expect(try await fixture.make(bob.authorization).status == 200)

            for _ in 0..<4 { #expect(try await fixture.profile(ada.authorization).status == 200) }
            #expect(try await fixture.profile(ada.authorization).headers["Retry-After"] == "15")
            let name: JSONValue = ["displayName": "A"]
            for status in [200, 200, 429] {
                #expect(try await fixture.send("PUT", "/api/profile", ada.authorization, name).status == status)
            }
            #expect(try await fixture.profile(bob.authorization).status == 200)

            fixture.base.clock.advance(6)
            #expect(try await fixture.make(ada.authorization).status == 200)
            #expect(try await fixture.make(ada.authorization).status == 429)
            let metrics = try await fixture.base.http.send("GET", "/metrics").text
            #expect(metrics.contains(#"latchd_requests_limited_total{limit="credentials"} 3"#))
        }
    }

    @Test("RM-8 unknown credentials count against the address, which is the client's behind a trusted proxy")
    func addresses() async throws {
        let change = { @Sendable (settings: inout GatewaySettings) in
            settings.requestRates.address = .perMinute(3)
            settings.trustedProxies = TrustedProxies([IPNetwork("127.0.0.0/8")].compactMap { $0 })
        }
        try await RelateMailFixture.with(change) { fixture in
            let guess = "ApiKey " + Data(repeating: 7, count: 32).base64EncodedString()
            func ask(_ client: String, _ authorization: String? = guess) async throws -> Exchange.Response {
                try await fixture.send("GET", "/api/profile", authorization, more: [("X-Forwarded-For", client)])
            }
            for _ in 0..<3 { #expect(try await ask("192.0.2.1").status == 401) }
            let limited = try await ask("192.0.2.1")
            #expect(limited.status == 429 && limited.headers["Retry-After"] == "20")
            #expect(try await ask("192.0.2.1", nil).status == 429)
            #expect(try await ask("192.0.2.1", "Bearer a.b.c").status == 429)
            #expect(try await ask("192.0.2.2").status == 401)
            // What is in memory is no guess.
            let key = try await fixture.key()
            #expect(try await ask("192.0.2.3", key.authorization).status == 200)
            #expect(try await ask("192.0.2.1", key.authorization).status == 200)
        }
    }

    @Test("RM-8 sign-ins through a provider count against the address; a browser gets a page about that")
    func bridge() async throws {
        try await RelateMailFixture.with({ $0.requestRates.address = .perMinute(3) }) { fixture in
            let paths = [
                ("GET", "/api/auth/oauth/authorize"), ("GET", "/api/auth/oauth/callback"),
                ("POST", "/api/auth/mobile/sso/exchange"),
            ]
            for (method, path) in paths { #expect(try await fixture.send(method, path, nil).status != 429) }
            for (method, path) in paths {
                let response = try await fixture.send(method, path, nil)
                #expect(response.status == 429 && response.headers["Retry-After"] == "20")
            }
            let page = try await fixture.send("GET", paths[0].1, nil, more: [("Accept", "text/html")])
            #expect(page.status == 429 && page.headers["Retry-After"] == "20")
            #expect(page.headers["Content-Type"]?.hasPrefix("text/html") == true)
        }
    }
}
