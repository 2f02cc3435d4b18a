import Crypto
import SecretStorage
import Testing

@Suite struct MemoryStoreTests {
    @Test("the memory store stores, replaces and deletes secrets") func roundTrip() async throws {
        let store = MemoryStore()
        let key = SecretKey(service: "s", account: "a")
        #expect(try await store.read(key) == nil)
        try await store.write(Secret("one"), for: key)
        #expect(try await store.read(key) == Secret("one"))
        try await store.remove(key)
        #expect(try await store.read(key) == nil)
    }
}
