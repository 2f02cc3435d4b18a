import Foundation
import HTTPClient
import ServerMessages
import TestSupport
import Testing

@testable import LatchKit

/// Finding an Immich server, of every generation and behind everything that stands in front of one.
@Suite(.timeLimit(.minutes(20))) struct ImmichDiscoveryTests {
    @Test(
        "IM-3 IM-4 IM-18 a server of every generation is found with its sign-in methods",
        arguments: ImmichGeneration.all)
    func found(_ generation: ImmichGeneration) async throws {
        let fixture = try ImmichFixture(generation)
        let latch = try await fixture.home.open()
        let server = try await fixture.server(latch)

        #expect(server.dialect.id.rawValue == "immich" && server.address == fixture.address)
        #expect(server.features.signsInWithPassword && server.features.signsInWithBrowser)
        #expect(server.features.browserTitle == "Sign in at home" && server.features.version == generation.text)
        #expect(server.features.unavailableReason == nil)
        #expect(server.features.warnings == ["The server's sign-in message: Be kind."])
        #expect(server.dialect.details.isEmpty)
    }

    @Test("IM-4 sign-in methods that the server's administrator has turned off are not offered")
    func switchedOff() async throws {
        let fixture = try ImmichFixture()
        fixture.immich.set { ($0.oauth, $0.passwordLogin) = (false, false) }
        let server = try await fixture.server(try await fixture.home.open())
        #expect(!server.features.signsInWithPassword && !server.features.signsInWithBrowser)
    }

    struct Place: Sendable, CustomTestStringConvertible {
        var says: String
        var path: String
        var testDescription: String { says }
    }

    @Test(
        "IM-3 the API is used at the address that the server sends",
        arguments: [
            Place(says: "/api", path: "/api"), Place(says: "/api/", path: "/api"),
            Place(says: "/photos/v1", path: "/photos/v1"), Place(says: "http://127.0.0.1:PORT/api", path: "/api"),
            Place(says: "http://127.0.0.1:PORT/own/api/", path: "/api"),
            Place(says: "http://127.0.0.1:PORT/x", path: ""),
        ])
    func wellKnown(_ place: Place) async throws {
        let fixture = try ImmichFixture()
        let (script, port) = (fixture.immich, fixture.wire.port)
        let endpoint = place.says.replacing("PORT", with: "\(port)")
        let moved = ["/photos/v1", "/own/api", "/x"].first { place.says.contains($0) }
        script.intercept { [weak script] request in
            if request.path == "/.well-known/immich" { return .json(#"{"api":{"endpoint":"\#(endpoint)"}}"#) }
            guard let moved else { return nil }
            guard request.path.hasPrefix(moved + "/") else { return .page(404) }
            var inner = request
            inner.path = "/api" + request.path.dropFirst(moved.count)
            return script?.rules(inner)
        }
        let server = try await fixture.server(try await fixture.home.open())
        #expect((server.dialect as? ImmichDialect)?.api == place.path)
        let prefix = endpoint.contains("/own/api") ? "/own" : endpoint.contains("/x") ? "/x" : ""
        #expect(server.address.url == fixture.address.url + prefix)
        #expect(
            Dialects.named(server.dialect.id, details: server.dialect.details)?.probe.path == server.dialect.probe.path)
    }

    @Test("IM-3 another host is allowed with a warning, and becomes the account's server")
    func otherHost() async throws {
        let (front, back) = (try ImmichFixture(), try ImmichFixture())
        let address = "http://localhost:\(back.wire.port)/api"
        front.immich.intercept { request in
            request.path == "/.well-known/immich" ? .json(#"{"api":{"endpoint":"\#(address)"}}"#) : nil
        }
        let latch = try await front.home.open()
        let account = try await front.signIn(latch)
        #expect(account.serverURL.url == "http://localhost:\(back.wire.port)")
        #expect(back.asked("/api/auth/login").count == 1 && front.asked("/api/auth/login").isEmpty)
        let warnings = try await front.server(latch).features.warnings
        #expect(warnings.contains { $0.contains("its API is at http://localhost") })
    }

    @Test(
        "IM-3 an invalid or unreachable API address is ignored, and /api is used",
        arguments: [
            "//other.example.org/api", "ftp://127.0.0.1/api", "/api?x=1", "/../api", "", "https://", "\\u0000",
            "http://127.0.0.1:1/api", "http://127.0.0.1:PORT/nothing",
        ])
    func invalidAPIAddress(_ says: String) async throws {
        let fixture = try ImmichFixture()
        let says = says.replacing("PORT", with: "\(fixture.wire.port)")
        fixture.immich.intercept { request in
            request.path == "/.well-known/immich" ? .json(#"{"api":{"endpoint":"\#(says)"}}"#) : nil
        }
        let server = try await fixture.server(try await fixture.home.open())
        #expect(server.address == fixture.address && server.dialect.details.isEmpty)
    }

    @Test("IM-3 an https address is not replaced by an http address")
    func downgrade() throws {
        let response = ClientResponse(
            status: .ok, headers: [:], body: Array(#"{"api":{"endpoint":"http://photos.example.org/api"}}"#.utf8))
        #expect(ImmichEndpoint(response, from: try ServerAddress("https://photos.example.org")) == nil)
        #expect(ImmichEndpoint(response, from: try ServerAddress("http://photos.example.org")) != nil)
    }

    @Test("IM-3 without a response to the well-known request the API at /api is used", arguments: [404, 500, 200, 0])
    func noWellKnown(_ status: Int) async throws {
        let fixture = try ImmichFixture()
        fixture.immich.intercept { request in
            guard request.path == "/.well-known/immich" else { return nil }
            return status == 0 ? .silence : .page(status)
        }
        #expect(try await fixture.server(try await fixture.home.open()).address == fixture.address)
    }

    @Test("IM-3 for an address that ends with /api, the well-known request is sent to the root")
    func typedAPI() async throws {
        let fixture = try ImmichFixture()
        let latch = try await fixture.home.open()
        let report = try await latch.probe(ServerAddress(fixture.address.url + "/api/"))
        #expect(report.server?.address == fixture.address)
        #expect(!fixture.wire.requests.contains { $0.path.hasPrefix("/api/.well-known") })
    }

    @Test("IM-3 IM-16 a sign-in page with 200 is not a server, and the error names the page")
    func loginPage() async throws {
        let fixture = try ImmichFixture()
        fixture.immich.intercept { _ in .page(200) }
        let report = try await (try await fixture.home.open()).probe(fixture.address)
        #expect(report.server == nil && report.failure?.code == .interceptedResponse)
        #expect(report.failure?.message.contains("the response is a web page") == true)
    }

    @Test(
        "IM-3 a JSON response to the ping without pong is not a server",
        arguments: [#"{"res":"no"}"#, "{}", "[]", #"{"res":null}"#, #"{"res":["pong"]}"#, #""pong""#])
    func noPong(_ body: String) async throws {
        let fixture = try ImmichFixture()
        fixture.immich.intercept { $0.path == "/api/server/ping" ? .json(body) : nil }
        let report = try await (try await fixture.home.open()).probe(fixture.address)
        #expect(fixture.asked("/api/server/ping").count >= 1)
        #expect(report.server == nil && report.failure?.code == .unsupportedServer, "\(report)")
        #expect(fixture.asked("/api/server/features").isEmpty)
    }

    @Test("IM-16 a proxy's error without the server is reported as a server that is down", arguments: [502, 503, 504])
    func down(_ status: Int) async throws {
        let fixture = try ImmichFixture()
        fixture.immich.intercept { _ in .page(status) }
        let report = try await (try await fixture.home.open()).probe(fixture.address)
        #expect(report.failure?.code == .serverError)
        #expect(report.failure?.message.contains("is down") == true)
    }

    @Test(
        "IM-16 a server in maintenance is found, and the sign-in reports that",
        arguments: [
            ImmichGeneration(2, 4, 1), ImmichGeneration(3, 1, 0),
        ])
    func maintenance(_ generation: ImmichGeneration) async throws {
        let fixture = try ImmichFixture(generation)
        fixture.immich.set { $0.inMaintenance = true }
        let latch = try await fixture.home.open()
        let server = try await fixture.server(latch)
        #expect(server.features.unavailableReason?.contains("in maintenance") == true)
        let error = try await #require(throws: LatchError.self) { try await fixture.signIn(latch) }
        #expect(error.code == .serverError && error.message.contains("in maintenance"))
        #expect(fixture.asked("/api/auth/login").isEmpty)
    }

    struct Version: Sendable {
        var version: ImmichGeneration
        var says: String?
    }

    @Test(
        "IM-18 versions are compared by major and minor, and a mismatch warns",
        arguments: [
            Version(version: .init(1, 122, 9), says: "update it"), Version(version: .init(0, 9, 0), says: "update it"),
            Version(version: .init(1, 123, 0)), Version(version: .init(2, 0, 0)), Version(version: .init(3, 1, 99)),
            Version(version: .init(3, 2, 0), says: "If something does not work, update this program"),
            Version(version: .init(4, 0, 0), says: "Sign-in may fail: update this program"),
        ])
    func versions(_ row: Version) throws {
        let version = ImmichVersion(major: row.version.major, minor: row.version.minor, patch: row.version.patch)
        let warning = ImmichVersions.warning(version)
        #expect((warning == nil) == (row.says == nil))
        if let says = row.says {
            #expect(warning?.contains(says) == true && warning?.contains("1.123 to 3.1") == true)
            #expect(warning?.contains(row.version.text) == true)
        }
    }
}
