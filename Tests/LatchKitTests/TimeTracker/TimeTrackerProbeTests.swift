import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import LatchKit

@Suite(.timeLimit(.minutes(20))) struct TimeTrackerProbeTests {
    private static func probe(_ fixture: TimeTrackerFixture) async throws -> ProbeReport {
        try await fixture.home.open().probe(fixture.address)
    }

    struct UnrecognizedCase: Sendable, CustomTestStringConvertible {
        let path: String
        let response: ScriptedServer.Response
        var testDescription: String { "\(path): \(response.status) \(response.body)" }
    }

    /// Each one thing that another API does otherwise.
    static let unrecognizedCases = [
        UnrecognizedCase(path: "/auth/me", response: .json(#"{"error":"Unauthorized"}"#, 403)),
        UnrecognizedCase(path: "/auth/me", response: .json(#"{"error":"unauthorized"}"#, 401)),
        UnrecognizedCase(path: "/auth/me", response: .json(#"{"error":"Unauthorized","code":1}"#, 401)),
        UnrecognizedCase(path: "/auth/me", response: .json(#"{"detail":"Unauthorized"}"#, 401)),
        UnrecognizedCase(path: "/auth/me", response: .page(200)),
        UnrecognizedCase(path: "/health", response: .json(#"{"status":"ok"}"#)),
        UnrecognizedCase(path: "/health", response: .json(#"{"status":"UP","timestamp":"now"}"#)),
        UnrecognizedCase(path: "/health", response: .json(#"{"status":"ok","timestamp":"now"}"#, 503)),
        UnrecognizedCase(path: "/auth/token", response: .json(#"{"error":"code is required"}"#, 400)),
        UnrecognizedCase(path: "/auth/token", response: .json(#"{"error":"Not found"}"#, 404)),
        UnrecognizedCase(path: "/auth/token", response: .json(#"{"error":"boom"}"#, 500)),
    ]

    @Test("TT-10 an API that differs in one response is not recognised as Time Tracker", arguments: unrecognizedCases)
    func unrecognizedAPI(_ row: UnrecognizedCase) async throws {
        let fixture = try TimeTrackerFixture()
        fixture.script.intercept { $0.path == row.path ? row.response : nil }
        let report = try await Self.probe(fixture)
        #expect(report.server == nil && report.failure != nil)
        #expect(!fixture.wire.requests.contains { $0.token != nil })
    }

    @Test("An Onyx server is not a Time Tracker server, and is found first")
    func onyx() async throws {
        let fixture = try OnyxFixture()
        let report = try await fixture.home.open().probe(fixture.address)
        #expect(report.server?.dialect.id.rawValue == "onyx")
        let connection = UnauthenticatedConnection(
            to: fixture.address, client: try ConnectionOptions().client(userAgent: "x", home: fixture.address),
            device: Device())
        guard case .notRecognized = try await TimeTrackerDialect().discover(connection) else {
            Issue.record("It was taken for one.")
            return
        }
    }

    @Test("TT-3 a server whose provider is down is found with a warning; one without sign-in is reported")
    func unavailableSignIn() async throws {
        let fixture = try TimeTrackerFixture()
        fixture.script.intercept {
            $0.path == "/auth/token" ? .json(#"{"error":"Failed to exchange token: getaddrinfo"}"#, 500) : nil
        }
        let away = try await Self.probe(fixture)
        #expect(away.server?.features.warnings.first?.contains("getaddrinfo") == true)
        fixture.script.intercept { $0.path == "/auth/token" ? .json(#"{"error":"Endpoint not found"}"#, 404) : nil }
        let none = try await Self.probe(fixture)
        #expect(none.server?.features.signsInWithBrowser == false && none.server != nil)
    }

    @Test(
        "TT-4 a server with only a failing token exchange is reported as failing, not as unknown",
        arguments: [502, 503, 429])
    func failing(_ status: Int) async throws {
        let fixture = try TimeTrackerFixture()
        fixture.script.intercept { $0.path == "/auth/token" ? .page(status) : nil }
        let failure = try #require(try await Self.probe(fixture).failure)
        #expect(failure.code == .serverError, "\(failure)")
        #expect(failure.message.contains("is a Time Tracker server, but /auth/token fails (status \(status)"))
    }

    @Test("TT-10 a server's path prefix is stored with the account, and only a known one is restored")
    func details() {
        for (stored, prefix) in [(["prefix": "/api"], "/api"), (["prefix": "/evil"], ""), ([:], "")] {
            #expect(TimeTrackerDialect().with(details: stored).identity.path == prefix + "/auth/me")
        }
    }
}
