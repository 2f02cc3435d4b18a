import Database
import FoundationEssentials
import HTTPMessages
import OpenIDConnect
import Redis
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway
@testable import SignInBridge

@Suite(.timeLimit(.minutes(20)))
struct ServiceTests {
    @Test("OX-8 /auth/type describes how to sign in, and is cacheable only if there are people")
    func authType() async throws {
        try await GatewayFixture.with {
            $0.passwords.minimumLength = 10
            $0.passwords.requiresDigit = true
        } _: { fixture in
            let empty = try await fixture.http.send("GET", "/api/auth/type")
            #expect(empty.status == 200)
            #expect(empty.headers["Cache-Control"] == "no-store")
            #expect(empty.json?["has_users"]?.bool == false)
            try await fixture.addPerson()

            let response = try await fixture.http.send("GET", "/api/auth/type")

            #expect(response.headers["Cache-Control"] == "public, max-age=60")
            let expected: [String: JSONValue] = [
                "multi_tenant": false, "requires_verification": false, "anonymous_user_enabled": false,
                "password_min_length": 10, "password_max_length": 64, "password_require_uppercase": false,
                "password_require_lowercase": false, "password_require_digit": true,
                "password_require_special_char": false, "has_users": true, "oauth_enabled": false,
                "password_auth_enabled": true, "sso_providers": [],
            ]
            let members = response.json?.members ?? []
            #expect(Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value) }) == expected)
        }
    }

    @Test("the routes are below the configured prefix")
    func prefix() async throws {
        try await GatewayFixture.with {
            $0.bridge.prefix = ""
        } _: { fixture in
            #expect(try await fixture.http.send("GET", "/auth/type").status == 200)
            let missing = try await fixture.http.send("GET", "/api/auth/type")
            #expect(missing.status == 404)
            #expect(missing.text == #"{"detail":"Not Found"}"#)
        }
    }

    @Test("a disabled dialect has no routes")
    func off() async throws {
        try await GatewayFixture.with {
            $0.onyx.isEnabled = false
        } _: { fixture async throws in
            #expect(try await fixture.http.send("GET", "/api/auth/type").status == 404)
            #expect(try await fixture.http.send("GET", "/healthz").status == 200)
        }
    }

    @Test("another method gets 405 in the dialect's error format")
    func method() async throws {
        try await GatewayFixture.with { fixture in
            let response = try await fixture.http.send("GET", "/api/auth/mobile/login")
            #expect(response.status == 405)
            #expect(response.text == #"{"detail":"Method Not Allowed"}"#)
            #expect(response.headers["Allow"]?.contains("POST") == true)
        }
    }

    @Test("the gateway is alive and ready, and not ready while it drains or without its database")
    func health() async throws {
        try await GatewayFixture.with { fixture async throws in
            #expect(try await fixture.http.send("GET", "/healthz").status == 200)
            #expect(try await fixture.http.send("GET", "/readyz").status == 200)
            #expect(try await fixture.http.send("GET", "/readyz").headers["Retry-After"] == nil)
            #expect(fixture.gateway.drain())
            #expect(try await fixture.http.send("GET", "/healthz").status == 200)
            let draining = try await fixture.http.send("GET", "/readyz")
            #expect(draining.status == 503 && draining.headers["Retry-After"] == "1")
        }
        try await GatewayFixture.with { fixture async throws in
            await fixture.gateway.stores.database.close()
            #expect(try await fixture.http.send("GET", "/healthz").status == 200)
            // Nobody has asked whether this gateway is ready, so nobody would notice that it is not.
            #expect(!fixture.gateway.drain())
            let ready = try await fixture.http.send("GET", "/readyz")
            #expect(ready.status == 503 && ready.headers["Retry-After"] == "1")
        }
    }

    @Test("OX-15 a gateway with its codes in Redis is ready while Redis responds, and again when it is back")
    func healthOfRedis() async throws {
        let redis = try await RedisServer()
        let provider = ProviderConfiguration(
            id: "home", title: "Home", settings: ProviderSettings(issuer: "http://127.0.0.1:1", clientID: "gateway"))
        let connection = try RedisSettings(url: redis.url)
        let change = { (settings: inout GatewaySettings) in
            settings.providers = [provider]
            settings.codes = .redis
            settings.redis = connection
        }
        try await GatewayFixture.with(change) { fixture async throws in
            #expect(try await fixture.http.send("GET", "/readyz").status == 200)
            await redis.stop()
            let response = try await fixture.http.send("GET", "/readyz")
            #expect(response.status == 503 && response.text == #"{"status":"codes"}"#)
            #expect(response.headers["Retry-After"] == "1")
            #expect(try await fixture.http.send("GET", "/healthz").status == 200)
            try await redis.start()
            while try await fixture.http.send("GET", "/readyz").status != 200 { await Task.yield() }
        }
    }

    @Test("a failing database is 503 for a sign-in and Onyx's 400 for a refresh, without the database's message")
    func databaseGone() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            #expect(try await fixture.me(token).status == 200)
            await fixture.gateway.stores.database.close()

            let login = try await fixture.login()
            #expect(login.status == 503)
            #expect(login.headers["Retry-After"] != nil)
            #expect(!login.text.contains(fixture.folder.path))
            let refresh = try await fixture.refresh(token)
            #expect(refresh.status == 400)
            #expect(refresh.json?["detail"]?.string?.hasPrefix("Token refresh failed: ") == true)
            #expect(!refresh.text.contains(fixture.folder.path))
        }
    }

    @Test("metrics count requests by route, sign-ins by outcome, and sessions")
    func metrics() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            _ = try await fixture.login(password: "wrong one")
            _ = try await fixture.me(token)
            _ = try await fixture.refresh(token)
            _ = try await fixture.refresh("nothing")
            _ = try await fixture.http.send("GET", "/no/such/path")

            let page = try await fixture.http.send("GET", "/metrics")

            #expect(page.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
            let lines = Set(page.text.split(separator: "\n").map(String.init))
            for line in [
                #"latchd_http_requests_total{route="/api/auth/mobile/login",method="POST",status="2xx"} 1"#,
                #"latchd_http_requests_total{route="/api/auth/mobile/login",method="POST",status="4xx"} 1"#,
                #"latchd_http_requests_total{route="none",method="GET",status="4xx"} 1"#,
                #"latchd_http_request_duration_seconds_bucket{route="/api/me",le="+Inf"} 1"#,
                #"latchd_http_request_duration_seconds_count{route="/api/me"} 1"#,
                #"latchd_sign_ins_total{outcome="succeeded"} 1"#, #"latchd_sign_ins_total{outcome="refused"} 1"#,
                #"latchd_refreshes_total{outcome="succeeded"} 1"#, #"latchd_refreshes_total{outcome="refused"} 1"#,
                "latchd_sessions_live 1", "latchd_sessions_cached 1", "latchd_hashing_queue_depth 0",
                "# TYPE latchd_http_request_duration_seconds histogram",
            ] {
                #expect(lines.contains(line), "\(line)")
            }
            #expect(page.text.contains("\nlatchd_database_commits_total "))
        }
    }

    @Test("metrics say that the database does not answer, and count what failed because of it")
    func databaseMetrics() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            func lines() async throws -> Set<Substring> {
                Set(try await fixture.http.send("GET", "/metrics").text.split(separator: "\n"))
            }
            let token = try await fixture.token()
            let contact = Int(fixture.clock.now.timeIntervalSince1970)
            let well = try await lines()
            #expect(well.isSuperset(of: ["latchd_database_up 1", "latchd_database_errors_total 0"]))
            #expect(well.contains("latchd_database_last_contact_timestamp_seconds \(contact)"))

            await fixture.gateway.stores.database.close()
            fixture.gateway.issuer.invalidateAll()
            fixture.clock.advance(90)
            #expect(try await fixture.me(token).status == 503)
            #expect(try await fixture.http.send("GET", "/readyz").status == 503)

            let ill = try await lines()
            #expect(ill.contains("latchd_database_up 0"))
            #expect(ill.contains("latchd_database_last_contact_timestamp_seconds \(contact)"))
            // Those two, and this request for the metrics.
            #expect(ill.contains("latchd_database_errors_total 3"))
            #expect(ill.contains(#"latchd_http_unavailable_total{route="/api/me"} 1"#))
            #expect(!ill.contains { $0.hasPrefix("latchd_sessions_live") })
        }
    }

    @Test("metrics are served only to allowed clients, and not through a proxy")
    func metricsAccess() async throws {
        try await GatewayFixture.with { fixture in
            for field in ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"] {
                let response = try await fixture.http.send("GET", "/metrics", headers: [(field, "127.0.0.1")])
                #expect(response.status == 404)
                #expect(response.text == #"{"detail":"Not Found"}"#)
            }
        }
        try await GatewayFixture.with {
            $0.metrics.allowed = [try! IPNetwork.required("192.0.2.0/24")]
        } _: { fixture async throws in
            #expect(try await fixture.http.send("GET", "/metrics").status == 404)
        }
        try await GatewayFixture.with {
            $0.metrics.isEnabled = false
        } _: { fixture async throws in
            #expect(try await fixture.http.send("GET", "/metrics").status == 404)
        }
    }
}
