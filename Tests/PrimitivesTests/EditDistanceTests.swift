import Primitives
import Testing

@Suite struct EditDistanceTests {
    @Test(
        "insertions, deletions, replacements and swaps of neighbours count one each",
        arguments: [
            ("", "", 0), ("", "abc", 3), ("login", "login", 0), ("lgoin", "login", 1), ("logn", "login", 1),
            ("logiin", "login", 1), ("logim", "login", 1), ("kitten", "sitting", 3), ("ca", "abc", 3),
        ])
    func distance(_ one: String, _ other: String, _ distance: Int) {
        #expect(EditDistance.between(Array(one), Array(other)) == distance)
        #expect(EditDistance.between(Array(other), Array(one)) == distance)
    }
}
