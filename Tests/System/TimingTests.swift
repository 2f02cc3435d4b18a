import Foundation
import HTTPMessages
import TestSupport
import Testing

/// What the time of an answer tells a stranger: nothing.
///
/// No time is compared with a number: each kind of request is compared with another of its kind, on the same machine in the
/// same moments.
@Suite(.blocking, .inTurn, .timeLimit(.minutes(20))) struct TimingTests {
    /// Above this, and above what two requests of one kind differ by, a difference is one.
    private static let limit = 4.5
    /// A difference that is there is at least as large as this.
    private static let visible = -10.0

    private static func fixture(_ extra: [String: String] = [:]) throws -> SystemFixture {
        var environment = [
            "LATCHD_GUARDS_ACCOUNT_ATTEMPTS": "1000000", "LATCHD_GUARDS_ADDRESS_ATTEMPTS": "1000000",
            "LATCHD_PASSWORDS_ARGON2_MEMORY": "4MiB", "LATCHD_PASSWORDS_ARGON2_ITERATIONS": "1",
        ]
        environment.merge(extra) { $1 }
        return try SystemFixture(environment)
    }

    private static func signIn(_ email: String, _ password: String) -> [UInt8] {
        let body = Array(FormURLEncoded.encode([("username", email), ("password", password)]).utf8)
        let head =
            "POST /api/auth/mobile/login HTTP/1.1\r\nHost: a\r\nContent-Type: \(FormURLEncoded.mediaType)\r\n"
            + "Content-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body
    }

    private static func me(_ token: String) -> [UInt8] {
        Array("GET /api/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n".utf8)
    }

    @Test(
        "OX-1 the time of a refused sign-in does not reveal whether the account exists, is disabled or has an old hash")
    func refusedSignIns() async throws {
        let fixture = try Self.fixture()
        let older = SystemFixture(sharing: fixture, ["LATCHD_PASSWORDS_ARGON2_ITERATIONS": "2"])
        for (email, owner) in [("one", fixture), ("two", fixture), ("off", fixture), ("old", older)] {
            let added = try await owner.latchd(
                "user", "add", "\(email)@example.org", "--password-stdin", input: SystemFixture.password + "\n")
            try #require(added.status == 0, "\(added.errors)")
        }
        _ = try await fixture.latchd("user", "disable", "off@example.org")
        let gateway = try await fixture.startGateway()
        let wrong = "not the password 1"

        let timings = try await Timings.measure(
            [
                ("wrong password", Self.signIn("one@example.org", wrong)),
                ("wrong password of another", Self.signIn("two@example.org", wrong)),
                ("unknown account", Self.signIn("nil@example.org", wrong)),
                ("disabled, wrong password", Self.signIn("off@example.org", wrong)),
                ("disabled, right password", Self.signIn("off@example.org", SystemFixture.password)),
                ("older hash, wrong password", Self.signIn("old@example.org", wrong)),
                ("no hashing at all", Self.signIn("one@example.org", String(repeating: "x", count: 5_000))),
            ], rounds: 200, port: gateway.port, status: 400,
            until: { $0.difference(of: "no hashing at all", from: "wrong password") < Self.visible })

        let control = abs(timings.difference(of: "wrong password of another", from: "wrong password"))
        for kind in [
            "unknown account", "disabled, wrong password", "disabled, right password", "older hash, wrong password",
        ] {
            let difference = abs(timings.difference(of: kind, from: "wrong password"))
            #expect(difference < Self.limit + control, "\(kind)\n\(timings.table)")
        }
        // That a difference would have been seen.
        #expect(timings.difference(of: "no hashing at all", from: "wrong password") < Self.visible, "\(timings.table)")
    }

    @Test("the time of a refused token does not reveal how much of it is correct")
    func refusedTokens() async throws {
        let fixture = try Self.fixture()
        let gateway = try await fixture.startGatewayWithPerson()
        _ = try await fixture.signIn(to: gateway)
        let token = try await fixture.latch("token").output.trimmingCharacters(in: .newlines)
        try #require(token.count == 43)
        func random() -> String {
            let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
            return String((0..<43).map { _ in letters.randomElement() ?? "A" })
        }
        let last = String(token.dropLast()) + (token.hasSuffix("A") ? "E" : "A")

        let timings = try await Timings.measure(
            [
                ("random token", Self.me(random())),
                ("another random token", Self.me(random())),
                ("all right but the last character", Self.me(last)),
                ("the first half right", Self.me(String(token.prefix(22)) + String(random().suffix(21)))),
                ("the second half right", Self.me(String(random().prefix(22)) + String(token.suffix(21)))),
                ("a token that is not looked up", Self.me(String(token.dropLast()))),
            ], rounds: 600, port: gateway.port, status: 403,
            until: { $0.difference(of: "a token that is not looked up", from: "random token") < Self.visible })

        let control = abs(timings.difference(of: "another random token", from: "random token"))
        for kind in ["all right but the last character", "the first half right", "the second half right"] {
            let difference = abs(timings.difference(of: kind, from: "random token"))
            #expect(difference < Self.limit + control, "\(kind)\n\(timings.table)")
        }
        // That a difference as small as a look into the database would have been seen.
        #expect(
            timings.difference(of: "a token that is not looked up", from: "random token") < Self.visible,
            "\(timings.table)")
    }
}
