import Foundation
import HTTPMessages
import TestSupport
import Testing

/// Every known way to hide one request in another, against the built program, alone and behind a real nginx.
///
/// What the gateway read is taken from its own log: each answer carries the id of a logged request.
@Suite("Request smuggling", .blocking, .inTurn, .timeLimit(.minutes(20)))
struct SmugglingTests {
    private struct Read: Sendable {
        let id: String
        let path: String
    }

    private static let fixture = [
        "LATCHD_LIMITS_HEADER_TIMEOUT": "700ms", "LATCHD_LIMITS_BODY_TIMEOUT": "700ms", "LATCHD_LIMITS_IDLE": "1s",
        "LATCHD_LOG_FORMAT": "json", "LATCHD_LOG_LEVEL": "debug",
    ]

    @Test("the gateway never reads a smuggled request as a second one")
    func alone() async throws {
        let gateway = try await SystemFixture(Self.fixture).startGateway()
        let requests = SmugglingForm.all.enumerated().map { Self.attack($1, $0, "alone") }

        let answers = try await Self.exchange { try RawExchanges.run(requests, port: gateway.port) }
        let reads = try await Self.stop(gateway)

        for (index, form) in SmugglingForm.all.enumerated() where !form.isTwo {
            let read = reads.filter { $0.path == "/second-alone-\(index)" }
            #expect(read.isEmpty, "\(form.name)")
            let final = RawResponse.all(in: answers[index]).filter { $0.status >= 200 }
            #expect(final.count <= 1 && final.allSatisfy { $0.status >= 400 && $0.status != 500 }, "\(form.name)")
        }
    }

    @Test("nginx and the gateway count the same requests, and no response goes to another client")
    func behindNginx() async throws {
        // The gateway keeps nginx's connections open, so only a refusal ends one.
        let fixture = try SystemFixture(Self.fixture.merging(["LATCHD_LIMITS_IDLE": "1h"]) { $1 })
        let gateway = try await fixture.startGateway()
        let nginx = try await NginxFront.start(before: gateway.port)

        var victims: [(path: String, response: RawResponse?)] = []
        var attacks: [(name: String, paths: [String], answers: [RawResponse])] = []
        for buffering in NginxFront.Buffering.allCases {
            let mark = buffering.rawValue
            // Each attack has others' requests around it, on the same few connections to the gateway.
            let requests = SmugglingForm.all.enumerated().flatMap { index, form in
                [Self.attack(form, index, mark), Self.victim(index * 2, mark), Self.victim(index * 2 + 1, mark)]
            }
            let answers = try await Self.exchange {
                try RawExchanges.run(requests, width: 24) { try nginx.connect(buffering) }
            }
            for (index, form) in SmugglingForm.all.enumerated() {
                attacks.append(
                    (
                        "\(form.name) \(mark)", ["/first-\(mark)-\(index)", "/second-\(mark)-\(index)"],
                        RawResponse.all(in: answers[index * 3])
                    ))
                for number in 0..<2 {
                    let answers = RawResponse.all(in: answers[index * 3 + 1 + number])
                    #expect(answers.count == 1)
                    victims.append(("/victim-\(mark)-\(index * 2 + number)", answers.first))
                }
            }
        }
        let last = try nginx.connect(.on)
        try last.write("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(try last.readToEnd().contains("alive"))
        await nginx.stop()
        let reads = try await Self.stop(gateway)
        let paths = Dictionary(reads.map { ($0.id, $0.path) }) { first, _ in first }

        for victim in victims {
            #expect(victim.response?.status == 404, "\(victim.path)")
            #expect(victim.response?["x-request-id"].flatMap { paths[$0] } == victim.path)
        }
        for attack in attacks {
            for response in attack.answers {
                guard let path = response["x-request-id"].flatMap({ paths[$0] }) else { continue }
                #expect(
                    path.contains("…") || attack.paths.contains { path.contains($0) },
                    "\(attack.name) was answered for \(path)")
            }
        }
        let forwarded = try Self.counts(nginx.forwardedPaths().map(Self.shown))
        let read = Self.counts(reads.map(\.path))
        for path in Set(forwarded.keys).union(read.keys) {
            #expect(
                forwarded[path] == read[path], "\(path): nginx sent \(forwarded[path] ?? 0), read \(read[path] ?? 0)")
        }
        #expect(forwarded.count > SmugglingForm.all.count)
    }

    private static func attack(_ form: SmugglingForm, _ index: Int, _ mark: String) -> [UInt8] {
        let second = "GET /second-\(mark)-\(index) HTTP/1.1\r\nHost: a\r\n\r\n"
        return Array(form.text("/first-\(mark)-\(index)", second).utf8)
    }

    private static func victim(_ index: Int, _ mark: String) -> [UInt8] {
        Array("GET /victim-\(mark)-\(index) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8)
    }

    /// The path as the gateway's log shows it: with plain words alone, as anything else may be a secret.
    private static func shown(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.wholeMatch(of: /[a-z0-9._-]{0,20}/) == nil ? "…" : String($0) }.joined(separator: "/")
    }

    private static func counts(_ paths: [String]) -> [String: Int] {
        Dictionary(paths.map { ($0, 1) }, uniquingKeysWith: +)
    }

    /// Stops the gateway; the requests of its log, which is complete then.
    private static func stop(_ gateway: RunningGateway) async throws -> [Read] {
        gateway.program.send(SIGTERM)
        try await gateway.program.line(containing: "Stopped.")
        await gateway.program.waitForExit()
        return gateway.program.output.split(separator: "\n").compactMap { line in
            guard let value = try? JSONValue(parsing: Array(line.utf8)), value["message"]?.string == "Request." else {
                return nil
            }
            guard let id = value["request"]?.string, let path = value["path"]?.string else { return nil }
            return Read(id: id, path: path)
        }
    }

    private static func exchange(_ body: @escaping @Sendable () throws -> [[UInt8]]) async throws -> [[UInt8]] {
        try await BackgroundThread.run { Result(catching: body) }.get()
    }
}
