import Crypto
import LatchKit
import SecretStorage
import Testing

/// The example of ``Latchstring``'s documentation, word for word, against a server that answers.
@Suite(.timeLimit(.minutes(20))) struct DocumentationTests {
    @Test("five lines sign in and call") func fiveLines() async throws {
        let world = try World()
        let (home, store) = (world.home.folders, MemoryStore())
        let (text, email, password) = (world.address.url, "ada@example.org", Secret("correct horse"))

        let latch = try await LatchClient.open(.init(folders: home, secrets: store))
        let server = try await latch.probe(ServerAddress(text)).requireServer()
        let account = try await latch.signIn(PasswordSignIn(email: email, password: password), to: server)
        let answer = try await latch.session(for: account).client.send(.get, "/api/me")

        #expect(answer.status == .ok)
        await latch.close()
    }
}
