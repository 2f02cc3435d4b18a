import HTTPClient
import Testing
import Wire

@Suite("HTTPClient", .timeLimit(.minutes(1)))
struct SmokeTests {
    @Test("A closed port is refused")
    func refused() async throws {
        let client = try HTTPClient(HTTPClient.Configuration(proxy: ""))
        let error = await #expect(throws: TransportError.self) {
            _ = try await client.send(ClientRequest(url: "http://127.0.0.1:1/"))
        }
        #expect(error?.code == .refused)
        await client.close()
    }
}
