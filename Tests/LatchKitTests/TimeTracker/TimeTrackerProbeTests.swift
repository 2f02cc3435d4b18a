import Foundation
import HTTPMessages
import Testing

@testable import LatchKit

@Suite(.timeLimit(.minutes(20))) struct TimeTrackerProbeTests {
    private static func probe(_ world: TimeTrackerWorld) async throws -> ProbeReport {
        try await world.home.open().probe(world.address)
    }

    struct Stranger: Sendable, CustomTestStringConvertible {
        let path: String
        let answer: ScriptedServer.Answer
        var testDescription: String { "\(path): \(answer.status) \(answer.body)" }
    }

    /// Each one thing that another API does otherwise.
    static let strangers = [
        Stranger(path: "/auth/me", answer: .json(#"{"error":"Unauthorized"}"#, 403)),
        Stranger(path: "/auth/me", answer: .json(#"{"error":"unauthorized"}"#, 401)),
        Stranger(path: "/auth/me", answer: .json(#"{"error":"Unauthorized","code":1}"#, 401)),
        Stranger(path: "/auth/me", answer: .json(#"{"detail":"Unauthorized"}"#, 401)),
        Stranger(path: "/auth/me", answer: .page(200)),
        Stranger(path: "/health", answer: .json(#"{"status":"ok"}"#)),
        Stranger(path: "/health", answer: .json(#"{"status":"UP","timestamp":"now"}"#)),
        Stranger(path: "/health", answer: .json(#"{"status":"ok","timestamp":"now"}"#, 503)),
        Stranger(path: "/auth/token", answer: .json(#"{"error":"code is required"}"#, 400)),
        Stranger(path: "/auth/token", answer: .json(#"{"error":"Not found"}"#, 404)),
        Stranger(path: "/auth/token", answer: .json(#"{"error":"boom"}"#, 500)),
    ]

    @Test("TT-10 an API that is like it in all but one answer is not taken for it", arguments: strangers)
    func stranger(_ stranger: Stranger) async throws {
        let world = try TimeTrackerWorld()
        world.script.intercept { $0.path == stranger.path ? stranger.answer : nil }
        let report = try await Self.probe(world)
        #expect(report.server == nil && report.failure != nil)
        #expect(!world.wire.requests.contains { $0.token != nil })
    }

    @Test("An Onyx server is none of Time Tracker's, and is found first")
    func onyx() async throws {
        let world = try World()
        let report = try await world.home.open().probe(world.address)
        #expect(report.server?.dialect.id.rawValue == "onyx")
        let connection = UnauthenticatedConnection(
            world.address, try ConnectionOptions().client(userAgent: "x", home: world.address), Device())
        guard case .notRecognized = try await TimeTrackerDialect().discover(connection) else {
            Issue.record("It was taken for one.")
            return
        }
    }

    @Test("TT-3 a server whose provider is away is found, with a warning; one without sign-in is told")
    func halves() async throws {
        let world = try TimeTrackerWorld()
        world.script.intercept {
            $0.path == "/auth/token" ? .json(#"{"error":"Failed to exchange token: getaddrinfo"}"#, 500) : nil
        }
        let away = try await Self.probe(world)
        #expect(away.server?.features.warnings.first?.contains("getaddrinfo") == true)
        world.script.intercept { $0.path == "/auth/token" ? .json(#"{"error":"Endpoint not found"}"#, 404) : nil }
        let none = try await Self.probe(world)
        #expect(none.server?.features.signsInWithBrowser == false && none.server != nil)
    }

    @Test(
        "TT-4 a server whose exchange alone is out of order is told as failing, not as unknown",
        arguments: [502, 503, 429])
    func failing(_ status: Int) async throws {
        let world = try TimeTrackerWorld()
        world.script.intercept { $0.path == "/auth/token" ? .page(status) : nil }
        let failure = try #require(try await Self.probe(world).failure)
        #expect(failure.code == .serverError, "\(failure)")
        #expect(failure.message.contains("is a Time Tracker server, but /auth/token fails (status \(status)"))
    }

    @Test("TT-10 what a server's paths are below is kept with the account, and only what is known is taken back")
    func details() {
        for (kept, prefix) in [(["prefix": "/api"], "/api"), (["prefix": "/evil"], ""), ([:], "")] {
            #expect(TimeTrackerDialect().with(details: kept).identity.path == prefix + "/auth/me")
        }
    }
}
