import Crypto
import Foundation
import GatewayConfiguration
import GatewayCore
import GatewayDialects
import GatewayHTTP
import HTTPServer
import LatchGateway
import SecretStorage
import TestSupport
import Testing

@testable import LatchKit

/// The example of docs/add-a-server-family.md: a fifth family at both ends, over real sockets.
@Suite("An additional server family", .timeLimit(.minutes(20)))
struct FamilyExampleTests {
    /// The line of the gateway's registry.
    private static let family = DialectFamily(NotesSettings()) { NotesRoutes(services: $0) }

    private static func gateway(in folder: TemporaryDirectory) async throws -> Gateway {
        let families = DialectFamily.all + [family]
        var settings = GatewaySettings(
            databasePath: folder.file("latchd.db"), dialects: families.map(\.settings))
        settings.hashing.parameters = try Argon2idParameters(memoryKiB: 8, iterations: 1)
        settings.onyx.isEnabled = false
        settings.notes.isEnabled = true
        let stores = try await GatewayStores.open(settings, logWriter: LogWriter { _ in })
        return try Gateway(stores, families: families)
    }

    private static func client(in folder: TemporaryDirectory, _ secrets: MemoryStore) async throws -> LatchClient {
        var configuration = LatchClient.Configuration(folders: Folders(data: folder.file("data")), secrets: secrets)
        // The line of the client's registry.
        configuration.dialects = Dialects.all + [NotesDialect()]
        return try await LatchClient.open(configuration)
    }

    @Test("a person signs in, restarts the program, and signs out, with four files and two lines")
    func endToEnd() async throws {
        let folder = try TemporaryDirectory()
        let gateway = try await Self.gateway(in: folder)
        _ = try await gateway.stores.people.add(
            email: "ada@example.org", name: "Ada", password: Secret("correct horse 7"))
        let server = try await HTTPServer.start(
            HTTPServer.Configuration(listeners: [.tcp(host: "127.0.0.1", port: 0)], loops: 1), router: gateway.router)
        let address = try ServerAddress("http://127.0.0.1:\(try #require(server.addresses.first?.port))")
        let secrets = MemoryStore()
        let latch = try await Self.client(in: folder, secrets)
        let found = try await latch.probe(address).requireServer()
        #expect(found.dialect.title == "Notes" && found.capabilities == .passwordSignIn)

        let wrong = await #expect(throws: LatchError.self) {
            try await latch.signIn(PasswordSignIn(email: "ada@example.org", password: Secret("wrong")), to: found)
        }
        #expect(wrong?.code == .wrongCredentials)
        let account = try await latch.signIn(
            PasswordSignIn(email: "ada@example.org", password: Secret("correct horse 7")), to: found)
        let token = try await latch.session(for: account).validToken()
        await latch.close()

        let next = try await Self.client(in: folder, secrets)
        let session = try await next.activeSession()
        #expect(try await session.client.get("/notes/me", as: NotesPerson.self).email == "ada@example.org")
        #expect(try await next.signOut(account).isRevoked)
        guard case .terminated = try await gateway.issuer.authenticate(token.reveal()) else {
            Issue.record("The token is still accepted.")
            return
        }
        await next.close()
        await server.stop(drain: .seconds(1))
        await gateway.close()
    }

    @Test("latchd check --keys lists the keys of the family")
    func keys() {
        let keys = ConfigurationKey.listing(for: [NotesSettings()])
        #expect(keys.contains("dialects.notes.enabled"))
        #expect(keys.contains("Whether clients of Notes can sign in."))
    }

    @Test("the document contains these four files verbatim", arguments: ["Messages", "Settings", "Routes", "Dialect"])
    func document(_ name: String) throws {
        let folder = Products.packageFolder
        let code = try String(
            contentsOfFile: folder + "/Tests/FamilyExampleTests/Notes\(name).swift", encoding: .utf8)
        let document = try String(contentsOfFile: folder + "/docs/add-a-server-family.md", encoding: .utf8)
        #expect(document.contains("```swift\n" + code + "```"))
    }
}
