import Crypto
import HTTPMessages
import TestSupport
import Testing

@testable import LatchKit

@Suite(.timeLimit(.minutes(20))) struct OnyxRegistrationTests {
    private static let registered = #"""
        {"id":"7","email":"ada@example.org","is_active":true,"is_superuser":false,"is_verified":false,"account_type":"STANDARD"}
        """#

    private func register(
        _ fixture: OnyxFixture, password: String = "correct horse", rule: String = "", response: ScriptedServer.Response
    ) async throws -> Account {
        fixture.onyx.intercept { request in
            switch request.path {
            case "/api/auth/type" where !rule.isEmpty: .json(#"{"multi_tenant":false,\#(rule)}"#)
            case "/api/auth/register": response
            default: nil
            }
        }
        let latch = try await fixture.home.open()
        let server = try await latch.probe(fixture.address).requireServer()
        return try await latch.register(
            PasswordSignIn(email: " Ada@Example.org", password: Secret(password)), at: server)
    }

    @Test("OX-8 a person registers in JSON with a lower-cased address, and is signed in")
    func completeRegistration() async throws {
        let fixture = try OnyxFixture()
        let account = try await register(fixture, response: .json(Self.registered, 201))
        #expect(account.userEmail == "ada@example.org" && account.isSignedIn)
        let asked = try #require(fixture.wire.requests.first { $0.path == "/api/auth/register" })
        #expect(asked.headers["Content-Type"] == "application/json" && asked.token == nil)
        let body = try JSONValue(parsing: Array(asked.body.utf8))
        #expect(body["email"] == "ada@example.org" && body["password"] == "correct horse" && body.members?.count == 2)
    }

    @Test("OX-8 a failed sign-in after a successful registration is a separate error")
    func failedSignIn() async throws {
        let fixture = try OnyxFixture()
        let error = await #expect(throws: LatchError.self) {
            try await register(fixture, password: "another password", response: .json(Self.registered, 201))
        }
        #expect(error?.code == .registeredOnly && error?.message.contains("was created") == true)
        #expect(error?.message.contains("another password") == false)
    }

    struct Refusal: Sendable {
        let status: Int
        let body: String
        let code: LatchError.Code
        let words: String
    }

    /// All four envelopes, and every reason that docs/protocols/onyx.md lists.
    static let refusals = [
        Refusal(
            status: 400,
            body: #"{"detail":{"code":"REGISTER_INVALID_PASSWORD","reason":"Password must contain a digit."}}"#,
            code: .weakPassword, words: "Password must contain a digit. Choose another"),
        Refusal(
            status: 400, body: #"{"detail":"REGISTER_USER_ALREADY_EXISTS"}"#, code: .registrationRefused,
            words: "already has an account at"),
        Refusal(
            status: 403, body: #"{"error_code":"REGISTRATION_DISABLED","detail":"closed"}"#, code: .registrationRefused,
            words: "registration is closed"),
        Refusal(
            status: 403, body: #"{"error_code":"UNAUTHORIZED","detail":"User not on allowed user whitelist"}"#,
            code: .registrationRefused, words: "an invitation is required"),
        Refusal(
            status: 402, body: #"{"error_code":"SEAT_LIMIT_EXCEEDED","detail":"seats"}"#, code: .registrationRefused,
            words: "seats are taken"),
        Refusal(
            status: 400, body: #"{"error_code":"INVALID_INPUT","detail":"Disposable email addresses are not allowed"}"#,
            code: .registrationRefused, words: "Disposable email addresses"),
        Refusal(
            status: 429, body: #"{"error_code":"RATE_LIMITED","detail":"x"}"#, code: .rateLimited,
            words: "too many accounts"),
        Refusal(
            status: 422, body: #"{"status_code":422,"message":"body.email: bad","data":null}"#,
            code: .registrationRefused,
            words: "body.email: bad"),
        Refusal(status: 400, body: #"{"message":"uncaught"}"#, code: .registrationRefused, words: "uncaught"),
        Refusal(status: 404, body: #"{"detail":"Not Found"}"#, code: .registrationRefused, words: "Not Found"),
        Refusal(status: 500, body: #"{"detail":"boom"}"#, code: .serverError, words: "(boom)"),
    ]

    @Test("OX-8 each refused registration is reported in plain words, in every error format", arguments: refusals)
    func refused(_ refusal: Refusal) async throws {
        let fixture = try OnyxFixture()
        let error = await #expect(throws: LatchError.self) {
            try await register(fixture, response: .json(refusal.body, refusal.status))
        }
        #expect(
            error?.code == refusal.code && error?.message.contains(refusal.words) == true, "\(error?.message ?? "")")
        #expect(fixture.onyx.live.isEmpty)
    }

    @Test("OX-8 an account is created also if the response has other members than in the newest release")
    func otherMembers() async throws {
        let fixture = try OnyxFixture()
        let body = #"{"id":"7","email":"ada@example.org","is_active":true,"is_superuser":false,"role":"basic"}"#
        #expect(try await register(fixture, response: .json(body, 201)).isSignedIn)
    }

    static let rules: [(rule: String, password: String, words: String)] = [
        (#""password_min_length":12"#, "eleven char", "at least 12 characters"),
        (#""password_max_length":4"#, "fives", "at most 4 characters"),
        (#""password_require_uppercase":true"#, "lower", "an upper-case letter"),
        (#""password_require_lowercase":true"#, "UPPER", "a lower-case letter"),
        (#""password_require_digit":true"#, "none", "a digit"),
        (#""password_require_special_char":true"#, "plain", "one of !@#"),
    ]

    @Test("OX-8 a password against the server's rule is reported before any request", arguments: rules)
    func weak(_ rule: String, _ password: String, _ words: String) async throws {
        let fixture = try OnyxFixture()
        let error = await #expect(throws: LatchError.self) {
            try await register(fixture, password: password, rule: rule, response: .json(Self.registered, 201))
        }
        #expect(error?.code == .weakPassword && error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(fixture.wire.count("/api/auth/register") == 0)
    }

    @Test("OX-8 the rule is described in one sentence, and an empty rule in none")
    func sentence() {
        #expect(PasswordRule().sentence == nil && PasswordRule().problem(of: Secret("x")) == nil)
        let rule = PasswordRule(minimumLength: 8, maximumLength: 64, needsUppercase: true, needsDigit: true)
        #expect(
            rule.sentence == "The password needs at least 8 characters, at most 64, an upper-case letter, a digit.")
    }

    @Test("OX-8 a valid password is accepted, with letters of any script")
    func validPasswords() {
        let rule = PasswordRule(minimumLength: 4, needsUppercase: true, needsLowercase: true, needsDigit: true)
        #expect(rule.problem(of: Secret("Ωσ٣!")) == nil && rule.problem(of: Secret("Ωσ!!")) != nil)
    }
}
