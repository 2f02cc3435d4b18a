import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import LatchGateway

/// Every parameter of every endpoint of the authorization server: missing, doubled, empty, and that of another client.
@Suite("Hostile parameters", .timeLimit(.minutes(20)))
struct HostileParameterTests {
    @Test(
        "RFC 6749 §3 each parameter missing, twice, without a value and of another client",
        arguments: HostileEndpoint.all)
    func endpoint(_ endpoint: HostileEndpoint) async throws {
        try await HostileFixture.with { hostile in
            func valid() async throws -> HostileEndpoint.Form { try await endpoint.valid(hostile, HostileFixture.web) }
            func check(_ form: HostileEndpoint.Form, _ expected: String, _ what: String) async throws {
                let outcome = try await endpoint.send(hostile, form)
                #expect(outcome == expected, "\(what)")
            }
            try await check(try await valid(), "ok", "the valid request")
            let names = Set(try await valid().map(\.0))
            #expect(names == Set(endpoint.rows.map(\.name)), "each parameter has a row")

            for row in endpoint.rows {
                let missing = try await valid().filter { $0.0 != row.name }
                try await check(missing, row.missing, "without \(row.name)")
                var doubled = try await valid()
                doubled += doubled.filter { $0.0 == row.name }
                try await check(doubled, row.doubled, "two \(row.name)")
                let empty = try await valid().map { $0.0 == row.name ? ($0.0, "") : $0 }
                try await check(empty, row.empty, "an empty \(row.name)")

                let other = try await endpoint.valid(hostile, HostileFixture.rival)
                let value = try row.value ?? (other.first { $0.0 == row.name }?.1).orThrow
                let swapped = try await valid().map { $0.0 == row.name ? ($0.0, value) : $0 }
                try await check(swapped, row.swapped, "another \(row.name)")
                guard let victim = endpoint.victim, row.value == nil else { continue }
                try await check(other, victim, "the other client's own request after another \(row.name)")
            }
            try await check(try await valid(), "ok", "the valid request at the end")
        }
    }

    @Test("RFC 7009 §2.1 a client that revokes the token of another one ends nothing")
    func revocation() async throws {
        try await HostileFixture.with { hostile in
            let tokens = try await hostile.tokens(of: HostileFixture.rival)
            for token in [tokens.access, tokens.refresh] {
                let form = HostileFixture.web.credentials + [("token", token)]
                #expect(try await hostile.fixture.post("revoke", form).status == 200)
                #expect(try await hostile.fixture.userInfo(tokens.access).status == 200)
            }
        }
    }

    @Test("RFC 7591 §2 each member of a registration missing, twice, empty and of a wrong type")
    func registration() async throws {
        let signed = try AssertionMaker("signed")
        let members: [JSONValue.Member] = [
            .init("redirect_uris", [.string(OAuthFixture.webRedirect)]), .init("client_name", "Self-made"),
            .init("token_endpoint_auth_method", "private_key_jwt"), .init("jwks", signed.keySet),
            .init("grant_types", ["authorization_code"]), .init("response_types", ["code"]),
            .init("post_logout_redirect_uris", [.string(HostileFixture.web.signOutRedirect)]),
        ]
        // Missing, empty, and of a wrong type.
        let rows: [(String, String, (JSONValue, String), (JSONValue, String))] = [
            ("redirect_uris", "invalid_redirect_uri", ([], "invalid_redirect_uri"), (7, "invalid_redirect_uri")),
            ("client_name", "ok", ("", "invalid_client_metadata"), (["x"], "invalid_client_metadata")),
            ("token_endpoint_auth_method", "ok", ("", "invalid_client_metadata"), (7, "invalid_client_metadata")),
            ("jwks", "invalid_client_metadata", ([:], "invalid_client_metadata"), ("x", "invalid_client_metadata")),
            ("grant_types", "ok", ([], "invalid_client_metadata"), ("authorization_code", "invalid_client_metadata")),
            ("response_types", "ok", ([], "invalid_client_metadata"), ("code", "invalid_client_metadata")),
            ("post_logout_redirect_uris", "ok", ([], "ok"), ("x", "invalid_redirect_uri")),
        ]
        try await HostileFixture.with { (hostile) async throws in
            func register(_ members: [JSONValue.Member]) async throws -> String {
                let response = try await hostile.fixture.gateway.http.send(
                    "POST", "/oauth2/register", headers: [("Content-Type", JSON.mediaType)],
                    body: String(decoding: JSONValue.object(members).encoded(), as: UTF8.self))
                return HostileFixture.outcome(response)
            }
            func replacing(_ name: String, _ value: JSONValue) -> [JSONValue.Member] {
                members.map { $0.name == name ? .init(name, value) : $0 }
            }
            func check(_ members: [JSONValue.Member], _ expected: String, _ what: String = "all") async throws {
                let outcome = try await register(members)
                #expect(outcome == expected, "\(what)")
            }
            try await check(members, "ok")
            #expect(rows.map(\.0).sorted() == members.map(\.name).sorted(), "each member has a row")
            for (name, missing, empty, wrong) in rows {
                try await check(members.filter { $0.name != name }, missing, "without \(name)")
                try await check(replacing(name, empty.0), empty.1, "an empty \(name)")
                try await check(replacing(name, wrong.0), wrong.1, "a wrong \(name)")
                let doubled = members + members.filter { $0.name == name }
                try await check(doubled, "invalid_client_metadata", "two \(name)")
            }
        }
    }
}
