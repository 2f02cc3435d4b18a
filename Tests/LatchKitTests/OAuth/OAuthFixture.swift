import Foundation
import HTTPMessages

@testable import LatchKit

/// A home, an authorization server, and a person who signs in there with the browser.
struct OAuthFixture {
    let home: HomeFixture
    let script: OAuthScript
    let wire: ScriptedServer
    let address: ServerAddress

    init(_ settings: OAuthScript.Settings = .init()) throws {
        home = try HomeFixture()
        let script = OAuthScript(settings)
        self.script = script
        wire = try ScriptedServer { script.response($0) }
        address = try ServerAddress("http://127.0.0.1:\(wire.port)")
    }

    /// The same where everything else at the address is protected.
    static func protecting(_ change: (inout OAuthScript.Settings) -> Void = { _ in }) throws -> OAuthFixture {
        let fixture = try OAuthFixture()
        fixture.script.change { settings in
            settings.protects = true
            settings.resource = fixture.address.url
            change(&settings)
        }
        return fixture
    }

    func server(_ latch: LatchClient, at place: ServerAddress? = nil) async throws -> Server {
        try await latch.probe(place ?? address).requireServer()
    }

    /// Signs in through the browser, which comes back to a port.
    func signIn(
        _ latch: LatchClient, at place: ServerAddress? = nil, clientID: String? = nil,
        callback: CallbackMethod = .automatic
    ) async throws -> Account {
        let found = try await server(latch, at: place)
        let person = BrowserPerson(home: home)
        return try await withThrowingTaskGroup(of: Account?.self) { group in
            group.addTask {
                var signIn = person.signIn(callback)
                signIn.clientID = clientID
                return try await latch.signIn(signIn, to: found)
            }
            group.addTask {
                let address = await person.address()
                guard !address.isEmpty else { return nil }
                let link = try await person.link(from: address)
                if link.hasPrefix("http") { _ = try await person.visit(link) } else { try person.open(link) }
                return nil
            }
            defer { group.cancelAll() }
            while let account = try await group.next() {
                if let account { return account }
            }
            throw CancellationError()
        }
    }

    /// The requests that contain any refresh token, by path.
    var pathsWithRefreshTokens: Set<String> {
        let tokens = script.seen.families.values.flatMap(\.refresh)
        let holders = wire.requests.filter { request in
            let text = request.path + request.body + request.headers.map(\.value).joined()
            return tokens.contains { text.contains($0) }
        }
        return Set(holders.map(\.path))
    }

    static let token = "/oauth/token"
    static let register = "/oauth/register"
    static let revoke = "/oauth/revoke"
}
