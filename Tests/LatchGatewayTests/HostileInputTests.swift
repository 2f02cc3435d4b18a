import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import LatchGateway

/// Valid requests broken a little, over real sockets.
///
/// What must hold for every broken request: it is answered at most once with success, and only where a strict reader
/// that shares no code with the server reads the same meaning out of its bytes; never with 5xx, but for 501 (a coding)
/// and 505 (a version); and the next good request is served.
@Suite("Malformed requests", .timeLimit(.minutes(20)))
struct HostileInputTests {
    private static func with(_ body: (GatewayFixture) async throws -> Void) async throws {
        try await GatewayFixture.with {
            $0.sessions.maximumPerPerson = 1_000_000
            $0.serveEverything()
        } server: {
            $0.headerTimeout = .milliseconds(250)
            $0.bodyTimeout = .milliseconds(250)
            $0.idleTimeout = .milliseconds(250)
        } _: { fixture in
            try await fixture.addPerson()
            try await body(fixture)
            #expect(try await fixture.login().status == 200)
        }
    }

    @Test("every prefix of every kind of request is refused or gets no response", arguments: BrokenKind.allCases)
    func prefixes(_ kind: BrokenKind) async throws {
        try await Self.with { fixture in
            let broken = Mutations.prefixes(of: kind.request(try await fixture.token()))

            let port = fixture.port
            let waiting = try await Self.exchange { try RawExchanges.run(broken, port: port, width: 256) }
            let finished = try await Self.exchange { try RawExchanges.run(broken, port: port, ending: .finished) }

            for answers in (waiting + finished).map(RawResponse.all) {
                #expect(answers.allSatisfy { [400, 408].contains($0.status) }, "\(answers)")
                #expect(answers.count < 2)
            }
            // One that waits in the middle of its fields or its body is told that its time is over.
            #expect(waiting.contains { RawResponse.all(in: $0).first?.status == 408 })
        }
    }

    @Test(
        "a request with a flipped bit or a byte set to NUL, CR, LF, space or 0xFF is handled or refused",
        arguments: BrokenKind.allCases.filter { ![.signOut, .delete, .timeTrackerToken].contains($0) })
    func flips(_ kind: BrokenKind) async throws {
        try await Self.with { fixture in
            let token = try await fixture.token()
            let broken = Mutations.flips(of: kind.request(token))

            let port = fixture.port
            let all = try await Self.exchange { try RawExchanges.run(broken, port: port, width: 256) }

            var successes = 0
            for (bytes, response) in zip(broken, all) {
                let succeeded = Self.check(bytes, response) { kind.means($0, token: token) }
                successes += succeeded ? 1 : 0
            }
            #expect(successes > 0)
        }
    }

    @Test("a malformed sign-out ends its session if and only if the response is 204")
    func signOutFlips() async throws {
        try await Self.with { fixture in
            let person = try await fixture.addPerson("bob@example.org")
            let issuer = fixture.gateway.issuer
            let count = Mutations.flipCount(of: BrokenKind.signOut.request(try await fixture.token()))
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<count {
                    group.addTask { try await issuer.issue(for: person, device: SessionDevice()).token.reveal() }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let broken = tokens.enumerated().map { Mutations.flip($0, of: BrokenKind.signOut.request($1)) }

            let port = fixture.port
            let all = try await Self.exchange { try RawExchanges.run(broken, port: port, width: 256) }

            var ended = 0
            for ((bytes, response), token) in zip(zip(broken, all), tokens) {
                let succeeded = Self.check(bytes, response) { BrokenKind.signOut.means($0, token: token) }
                guard case .valid = try await issuer.authenticate(token) else {
                    ended += 1
                    #expect(succeeded, "\(String(decoding: bytes, as: UTF8.self))")
                    continue
                }
                #expect(!succeeded, "\(String(decoding: bytes, as: UTF8.self))")
            }
            #expect(ended > 0 && ended < count)
        }
    }

    /// Holds an answer against what the bytes say; whether it was a success.
    private static func check(
        _ request: [UInt8], _ bytes: [UInt8], means: (RawReading) -> Bool
    ) -> Bool {
        let answers = RawResponse.all(in: bytes)
        var shown: String { "\(String(decoding: request, as: UTF8.self).debugDescription) \(answers)" }
        let succeeded = answers.contains { $0.status < 300 }
        #expect(answers.filter { $0.status < 300 }.count < 2, "\(shown)")
        #expect(answers.allSatisfy { $0.status < 500 || [501, 505].contains($0.status) }, "\(shown)")
        #expect(succeeded || !String(decoding: bytes, as: UTF8.self).contains("access_token"), "\(shown)")
        if succeeded { #expect(RawReading(seen(request)).map(means) == true, "\(shown)") }
        return succeeded
    }

    /// The one thing that cannot be told apart behind libmicrohttpd: a line that ends in NUL and LF.
    private static func seen(_ request: [UInt8]) -> [UInt8] {
        var request = request
        for index in request.indices.dropLast() where request[index] == 0 && request[index + 1] == 10 {
            request[index] = 13
        }
        return request
    }

    private static func exchange(_ body: @escaping @Sendable () throws -> [[UInt8]]) async throws -> [[UInt8]] {
        try await BackgroundThread.run { Result(catching: body) }.get()
    }
}

extension GatewayFixture {
    var port: Int { Int(http.port) }
}
