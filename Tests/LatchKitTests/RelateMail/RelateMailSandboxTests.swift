import Foundation
import LatchSandbox
import TestSupport
import Testing

@testable import LatchKit

/// The client against the real gateway's Relate Mail and the sandbox's provider, over real sockets.
@Suite(.timeLimit(.minutes(20))) struct RelateMailSandboxTests {
    private struct SandboxFixture {
        let sandbox: Sandbox
        let home: HomeFixture
        let person: BrowserPerson
        var address: ServerAddress { get throws { try ServerAddress(try #require(sandbox.url(of: "relate-mail"))) } }

        static func with(_ body: (SandboxFixture) async throws -> Void) async throws {
            let home = try HomeFixture()
            home.clock.advance(by: Date().timeIntervalSince(home.clock.now))
            let fixture = SandboxFixture(
                sandbox: try await Sandbox.open(), home: home, person: BrowserPerson(home: home))
            try await attempt {
                try await body(fixture)
            } finally: {
                await fixture.sandbox.close()
            }
        }

        /// Fills in the provider's page, and goes where the browser would go.
        func agree(_ address: String, action: String = "allow", _ more: [String] = []) async throws -> String {
            let fields = ["email=ada@example.org", "password=ada-plays-in-the-sandbox", "action=\(action)"] + more
            return try await Program.run(
                "curl",
                ["--silent", "--output", "/dev/null", "--write-out", "%{redirect_url}", address]
                    + fields.flatMap { ["--data-urlencode", $0] }
            ).output
        }

        func signIn(
            _ latch: LatchClient, _ callback: CallbackMethod = .automatic, scopes: [String]? = nil,
            action: String = "allow", _ more: [String] = []
        ) async throws -> Account {
            let found = try await latch.probe(address).requireServer()
            var signIn = person.signIn(callback)
            signIn.scopes = scopes
            let signingIn = signIn
            let task = Task { try await latch.signIn(signingIn, to: found) }
            let link = try await agree(await person.address(), action: action, more)
            if callback == .loopback {
                _ = try await person.visit(link)
            } else {
                try person.open(link)
            }
            return try await task.cancellableValue
        }
    }

    @Test(
        "RM-4 to RM-8 a key is created, used, listed, rotated and revoked at the gateway",
        arguments: [
            CallbackMethod.automatic, .loopback,
        ])
    func endToEnd(_ callback: CallbackMethod) async throws {
        try await SandboxFixture.with { fixture in
            let latch = try await fixture.home.open()
            let account = try await fixture.signIn(latch, callback)
            #expect(account.userEmail == "ada@example.org" && account.scopes == RelateMailDialect.allScopes)
            let session = try latch.session(for: account)
            #expect(try await session.identity().name == "Ada Lovelace")
            #expect(try await session.keys().map(\.isCurrent) == [true])

            let rotation = try await session.rotateKey()
            #expect(rotation.failure == nil && rotation.scopes == account.scopes)
            let keys = try await session.keys()
            #expect(keys.map(\.id) == [rotation.keyID] && keys[0].isCurrent)
            for start in Leaks.tokenStarts { #expect(try fixture.home.files(holding: start).isEmpty) }

            let key = try await session.validToken()
            #expect(try await latch.signOut(account).isRevoked)
            let error = await #expect(throws: LatchError.self) {
                try await latch.signIn(KeySignIn(key: key), to: try await latch.probe(fixture.address).requireServer())
            }
            #expect(error?.code == .wrongCredentials)
            await latch.close()
        }
    }

    @Test("RM-6 an app can request the minimal scope, and a second sign-in replaces the first one's key")
    func minimalScope() async throws {
        try await SandboxFixture.with { fixture in
            let latch = try await fixture.home.open()
            let first = try await fixture.signIn(latch, scopes: ["app"])
            #expect(first.scopes == ["app"])
            let second = try await fixture.signIn(latch)
            #expect(second.id == first.id && second.scopes == RelateMailDialect.allScopes)
            #expect(try await latch.session(for: second).keys().map(\.id) == [second.apiKeyID])
            let key = try await latch.session(for: second).validToken()
            let pasted = try await latch.signIn(
                KeySignIn(key: key), to: try await latch.probe(fixture.address).requireServer())
            #expect(pasted.apiKeyID == second.apiKeyID)
            await latch.close()
        }
    }

    private static let faults = [
        ("deny", "fault=", LatchError.Code.signInDenied), ("allow", "fault=wrong-nonce", .providerUntrusted),
        ("allow", "fault=expired", .providerUntrusted), ("allow", "fault=wrong-signature", .providerUntrusted),
        ("allow", "fault=wrong-audience", .providerUntrusted),
    ]

    @Test("RM-5 a denial at the provider and each of its faults leave no account")
    func faults() async throws {
        try await SandboxFixture.with { fixture in
            let latch = try await fixture.home.open()
            for (action, fault, code) in Self.faults {
                let error = await #expect(throws: LatchError.self, "\(action) \(fault)") {
                    try await fixture.signIn(latch, action: action, [fault])
                }
                #expect(error?.code == code, "\(action) \(fault): \(error?.message ?? "")")
                #expect(try await latch.accounts.rowIDs().isEmpty, "\(action) \(fault)")
            }
            await latch.close()
        }
    }
}
