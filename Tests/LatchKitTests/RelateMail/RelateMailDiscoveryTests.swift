import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import LatchKit

/// What is at an address, by its discovery and its configuration.
@Suite(.timeLimit(.minutes(20))) struct RelateMailDiscoveryTests {
    /// One installation and how people sign in there.
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var release: RelateMailScript.Release
        var hasBrowser: Bool
        var warning: String?
        var testDescription: String { name }
    }

    static let rows = [
        Row(name: "the controller's config.json", release: .init(), hasBrowser: true),
        Row(
            name: "the static file's config.json, without scopes and redirect",
            release: .init(configuration: ["oidcScope": nil, "oidcRedirectUri": nil]), hasBrowser: true),
        Row(
            name: "a release whose file is beside the pages", release: .init(configurationPath: "/config.json"),
            hasBrowser: true),
        Row(name: "without a provider", release: .init(hasProvider: false), hasBrowser: false),
        Row(
            name: "no config.json, and pages for every path", release: .init(configurationPath: nil), hasBrowser: false,
            warning: "/config/config.json does not name it (status 200, text/html)"),
        Row(
            name: "no config.json, and no pages", release: .init(configurationPath: nil, hasPages: false),
            hasBrowser: false, warning: "status 404"),
        Row(
            name: "an empty authority", release: .init(configuration: ["oidcAuthority": ""]), hasBrowser: false,
            warning: "lacks its address"),
        Row(
            name: "an empty client", release: .init(configuration: ["oidcClientId": ""]), hasBrowser: false,
            warning: "lacks its address or the apps' client id"),
        Row(
            name: "a provider without TLS", release: .init(configuration: ["oidcAuthority": "http://id.example.org"]),
            hasBrowser: false, warning: "plain http"),
        Row(
            name: "a provider that is no address", release: .init(configuration: ["oidcAuthority": "javascript:x"]),
            hasBrowser: false, warning: "not a web address"),
    ]

    @Test("RM-4 discovery and config.json are merged, and missing values are reported", arguments: rows)
    func merged(_ row: Row) async throws {
        let fixture = try await RelateMailFixture(row.release)

        let server = try await fixture.probe().requireServer()

        #expect(server.dialect.id.rawValue == "relate-mail" && server.features.version == "1.0.0")
        #expect(server.features.signsInWithKey && !server.features.signsInWithPassword)
        #expect(server.features.signsInWithBrowser == row.hasBrowser)
        #expect(server.features.warnings.count == (row.warning == nil ? 0 : 1))
        if let warning = row.warning { #expect(server.features.warnings.first?.contains(warning) == true) }
        #expect(fixture.wire.count("/config/config.json") == (row.release.hasProvider ? 1 : 0))
        await fixture.stop()
    }

    /// What answers instead, the code and the words that matter.
    static let otherServerResponses: [(ScriptedServer.Response, LatchError.Code, String)] = [
        (.page(200), .interceptedResponse, "web page"),
        (.init(status: 200, headers: ["Content-Type": "text/plain"], body: "{}"), .unsupportedServer, "text/plain"),
        (.json("{}"), .unsupportedServer, "not that of a Relate Mail server"),
        (.json(#"{"oidcEnabled":"yes","features":[]}"#), .unsupportedServer, "not that of a Relate Mail server"),
        (.json(#"{"title":"Not Found","status":404}"#, 404), .unsupportedServer, "status 404"),
        (
            .init(
                status: 400, headers: ["Content-Type": "text/html"],
                body: "<!DOCTYPE HTML><h2>Bad Request - Invalid Hostname</h2>"), .serverRefused, "AllowedHosts"
        ),
        (.init(status: 400, headers: [:]), .unsupportedServer, "status 400"),
        (.redirect("https://login.example.org/"), .interceptedResponse, "login.example.org"),
    ]

    @Test(
        "RM-4 another kind of server, or one that refuses, is reported with the remedy", arguments: otherServerResponses
    )
    func otherServers(_ response: ScriptedServer.Response, _ code: LatchError.Code, _ words: String) async throws {
        let fixture = try await RelateMailFixture()
        fixture.server.intercept { _ in response }
        let report = try await fixture.probe()
        let error = try #require(throws: LatchError.self) { try report.requireServer() }
        #expect(error.code == code && error.message.contains(words), "\(error.message)")
        await fixture.stop()
    }

    @Test("RM-4 a server's redirect to TLS is reported with the new address, and is not followed")
    func redirected() async throws {
        let fixture = try await RelateMailFixture()
        fixture.server.intercept { request in
            .init(status: 307, headers: ["Location": "https://127.0.0.1:9\(request.path)"])
        }
        let report = try await fixture.probe()
        let error = try #require(throws: LatchError.self) { try report.requireServer() }
        #expect(error.message.contains("Use the address https://127.0.0.1:9"), "\(error.message)")
        await fixture.stop()
    }

    @Test("RM-4 a server on another machine is only used with TLS")
    func plain() async throws {
        let fixture = try await RelateMailFixture()
        // A name that is no machine's: the server stands behind a proxy, which is asked for whole addresses.
        let server = fixture.server
        fixture.wire.script { request in
            var request = request
            request.path = request.path.replacing("http://mail.example.org", with: "")
            return server.response(request)
        }
        let report = try await ServerProbe(
            connection: .init(proxy: "http://127.0.0.1:\(fixture.wire.port)"), dialects: [fixture.dialect]
        ).run(ServerAddress("http://mail.example.org"))
        let error = try #require(throws: LatchError.self) { try report.requireServer() }
        #expect(error.code == .invalidAddress && error.message.contains("Write https://"), "\(error.message)")
        await fixture.stop()
    }
}
