import Arguments
import Testing

@Suite("The nearest word")
struct SpellingTests {
    @Test(
        "is the one that was probably meant",
        arguments: [
            ("lisen", "listen"), ("databse", "database"), ("--CONFIG", "--config"), ("sessoins", "sessions"),
            ("data", "database"),
        ])
    func near(word: String, expected: String) {
        let known = ["listen", "database", "--config", "sessions", "audit_log"]
        #expect(SpellingSuggestion.nearest(to: word, among: known) == expected)
    }

    @Test("is none when nothing is near", arguments: ["", "xyz", "zzzzzzzz"])
    func far(word: String) {
        #expect(SpellingSuggestion.nearest(to: word, among: ["listen", "database"]) == nil)
    }

    @Test("is none, and found at once, when the word is absurdly long")
    func long() {
        #expect(SpellingSuggestion.nearest(to: String(repeating: "a", count: 100_000), among: ["listen"]) == nil)
    }
}
