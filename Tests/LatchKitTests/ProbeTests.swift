import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LatchKit

@Suite(.timeLimit(.minutes(20))) struct ProbeTests {
    private func report(_ address: ServerAddress) async throws -> ProbeReport {
        try await ServerProbe(timeout: SuccessTimeout.duration).run(address)
    }

    @Test("OX-10 an Onyx server is recognised by multi_tenant or auth_type, with its features")
    func recognised() async throws {
        let wire = try ScriptedServer { request in
            request.path == "/onyx/api/auth/type"
                ? .json(#"{"multi_tenant":false,"password_auth_enabled":false,"password_min_length":12}"#)
                : .json("{}", 404)
        }
        let found = try await report(try ServerAddress("http://127.0.0.1:\(wire.port)/onyx/api/"))

        let server = try found.requireServer()
        #expect(server.dialect.id.rawValue == "onyx")
        #expect(!server.features.signsInWithPassword && server.features.passwordRule.minimumLength == 12)
        #expect(found.steps.map(\.kind) == [.address, .name, .connection, .trust, .dialect])
        #expect(found.steps.allSatisfy { $0.outcome == .passed || $0.outcome == .skipped })

        wire.script { _ in .json(#"{"auth_type":"basic"}"#) }
        #expect(try await report(server.address).requireServer().features.signsInWithPassword)
    }

    @Test(
        "OX-10 anything else is not a server, and is not stored",
        arguments: [
            ScriptedServer.Response.json("{}"), .json(#"{"multi_tenant":"no"}"#), .json("[]"), .json("x"),
            .json(#"{"multi_tenant":true}"#, 404), .json(#"{"multi_tenant":true}"#, 500),
        ])
    func notRecognised(response: ScriptedServer.Response) async throws {
        let wire = try ScriptedServer { _ in response }
        let found = try await report(try ServerAddress("http://127.0.0.1:\(wire.port)"))

        let error = try #require(throws: LatchError.self) { try found.requireServer() }
        #expect(error.code == .unsupportedServer)
        #expect(found.steps.last?.outcome == .failed && found.steps.last?.remedy != nil)
    }

    @Test("OX-10 a server that is not available at the moment is not called an unknown one")
    func unavailable() async throws {
        let wire = try ScriptedServer { $0.path.hasSuffix("/auth/type") ? .json("{}", 503) : .json("{}", 404) }
        let found = try await report(try ServerAddress("http://127.0.0.1:\(wire.port)"))

        #expect(found.failure?.code == .serverError && found.failure?.status == .serviceUnavailable)
        #expect(
            found.failure?.message.hasSuffix("is not available at the moment (status 503). Try again later.") == true)
        #expect(found.steps.last?.outcome == .failed && found.steps.last?.remedy == "Try again later.")
    }

    @Test("OX-10 a portal or proxy in front of the server is named")
    func interceptedProbe() async throws {
        for response in [ScriptedServer.Response.page(200), .redirect("http://portal.invalid/"), .page(511)] {
            let wire = try ScriptedServer { _ in response }
            let found = try await report(try ServerAddress("http://127.0.0.1:\(wire.port)"))
            #expect(found.failure?.code == .interceptedResponse)
        }
    }

    @Test(
        "OX-10 a port that expects TLS, at an http address, is named with the remedy",
        arguments: [
            "<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>",
            "<!DOCTYPE HTML><p>Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />",
            "Client sent an HTTP request to an HTTPS server.\n",
            "Bad Request\r\nThis combination of host and port requires TLS.\r\n",
        ])
    func missingTLS(_ body: String) async throws {
        let type = body.hasPrefix("<") ? "text/html" : "text/plain"
        let wire = try ScriptedServer { _ in .init(status: 400, headers: ["Content-Type": type], body: body) }
        let found = try await report(try ServerAddress("http://127.0.0.1:\(wire.port)"))

        let message =
            "Server is not reachable: 127.0.0.1:\(wire.port) expects https. Write https:// before its name."
        #expect(found.failure?.code == .tlsFailed && found.failure?.message == message)
        #expect(found.steps.last?.message == message)
    }

    @Test("IM-16 each step that can fail is reported with the remedy")
    func failures() async throws {
        let silent = try ScriptedServer { _ in .silence }
        silent.stop()
        let refused = try await report(try ServerAddress("http://127.0.0.1:\(silent.port)"))
        #expect(refused.failure?.code == .connectionRefused)
        #expect(refused.failure?.message.hasPrefix("Server is not reachable") == true)
        #expect(refused.steps.map(\.outcome) == [.passed, .passed, .failed, .skipped, .skipped])

        let unknown = try await report(try ServerAddress("http://nowhere.invalid"))
        #expect(unknown.failure?.code == .nameNotFound)
        #expect(unknown.steps.map(\.outcome) == [.warned, .failed, .skipped, .skipped, .skipped])
        #expect(unknown.steps[0].message.contains("unencrypted"))
    }

    @Test("OX-10 a server that never responds fails after the time-out")
    func timeout() async throws {
        let gate = DispatchSemaphore(value: 0)
        let wire = try ScriptedServer { _ in
            gate.wait()
            return .silence
        }
        let found = try await ServerProbe(timeout: .milliseconds(200)).run(
            try ServerAddress("http://127.0.0.1:\(wire.port)"))
        gate.signal()
        #expect(found.failure?.code == .timedOut)
    }
}
