import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import ForwardAuth
@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// The trace of a request: in the log, in requests to providers, and in responses to proxies.
@Suite(.timeLimit(.minutes(20)))
struct TracingTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00-\(trace)-00f067aa0ba902b7-01"
    private static let fields = [("traceparent", parent), ("tracestate", "rojo=1")]

    private func lines(_ fixture: GatewayFixture, _ message: String) throws -> [JSONValue] {
        fixture.gateway.stores.log.flush()
        return try fixture.lines.text.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
            .filter { $0["message"]?.string == message }
    }

    @Test func `log lines of a traced request have the id of the trace, others do not`() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            _ = try await fixture.login(headers: Self.fields)
            _ = try await fixture.login(headers: [("traceparent", Self.parent + "-more")])
            _ = try await fixture.login()
            for message in ["Audit.", "Request."] {
                // The creation of the account is an event too.
                let traces = try lines(fixture, message).suffix(3).map { $0["trace"]?.string }
                #expect(traces == [Self.trace, nil, nil], "\(message)")
            }
        }
    }

    @Test func `the exchange of a code at a provider belongs to the trace of the request that caused it`() async throws
    {
        try await BridgeFixture.with { fixture in
            try await fixture.base.addPerson()
            for fields in [Self.fields, []] {
                let browser = fixture.browser()
                let request = try await fixture.begin(AppSignIn(), in: browser)
                let query = FormURLEncoded.encode(try fixture.google.approve(request))
                let response = try await browser.send("GET", "\(BridgeFixture.callback)?\(query)", headers: fields)
                #expect(response.status == 302)
            }
            let seen = try fixture.google.exchangeHeaders
            let context = try #require(seen.first.flatMap { TraceContext($0) })
            #expect(
                context.traceID == Self.trace && context.parentID != "00f067aa0ba902b7" && context.state == "rojo=1")
            #expect(seen.count == 2 && seen[1]["traceparent"] == nil && seen[1]["tracestate"] == nil)
        }
    }

    @Test func `a proxy gets the trace with a new span, for requests from memory and from the database`() async throws {
        try await GatewayFixture.with {
            $0.publicURL = "https://id.example.org"
            $0.trustedProxies = TrustedProxies([IPNetwork("127.0.0.0/8")].compactMap { $0 })
            $0.verify.isEnabled = true
            $0.verify.rules.rules = [AccessDraft(hosts: ["app.example.org"]).rule("apps")]
        } _: { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            let forwarded = [
                ("X-Forwarded-Host", "app.example.org"), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Method", "GET"),
                ("X-Forwarded-Uri", "/"), ("Authorization", "Bearer \(token)"),
            ]
            func verify(_ more: [(String, String)]) async throws -> HTTPHeaders {
                let response = try await fixture.http.send("GET", "/auth/verify", headers: forwarded + more)
                #expect(response.status == 200)
                return response.headers
            }
            var spans: Set<String> = []
            for isCached in [false, true] {
                if !isCached { fixture.gateway.issuer.invalidateAll() }
                let context = try #require(TraceContext(try await verify(Self.fields)))
                #expect(context.traceID == Self.trace && context.state == "rojo=1")
                spans.insert(context.parentID)
            }
            #expect(spans.count == 2)
            #expect(try await verify([])["traceparent"] == nil)
            #expect(try await verify([("traceparent", "00-x"), ("tracestate", "rojo=1")])["tracestate"] == nil)
        }
    }
}
