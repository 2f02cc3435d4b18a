import Database
import FoundationEssentials
import Testing

@Suite("UUIDs as text")
struct UUIDTextTests {
    @Test("The text is Foundation's in lower case, and is parsed in either case")
    func matchesFoundation() {
        for _ in 0..<100 {
            let id = UUID()
            #expect(id.text == id.uuidString.lowercased())
            #expect(UUID(text: id.text) == id)
            #expect(UUID(text: id.uuidString) == id)
        }
    }

    @Test(
        "An invalid UUID is refused",
        arguments: [
            "", "0", "00000000-0000-0000-0000-00000000000", "00000000-0000-0000-0000-0000000000000",
            "000000000000-0000-0000-0000-00000000", "0000000000000000000000000000000000000",
            "g0000000-0000-0000-0000-000000000000",
            "00000000_0000-0000-0000-000000000000", "00000000-0000-0000-0000-00000000000é",
            " 0000000-0000-0000-0000-000000000000",
        ])
    func isRefused(_ text: String) {
        #expect(UUID(text: text) == nil)
    }
}
