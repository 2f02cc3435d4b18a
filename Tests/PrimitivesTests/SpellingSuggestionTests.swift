import Primitives
import Testing

@Suite("Spelling suggestions")
struct SpellingSuggestionTests {
    @Test(
        "suggests the most similar word",
        arguments: [
            ("lisen", "listen"), ("databse", "database"), ("--CONFIG", "--config"), ("sessoins", "sessions"),
            ("data", "database"),
        ])
    func similarWord(word: String, expected: String) {
        let known = ["listen", "database", "--config", "sessions", "audit_log"]
        #expect(SpellingSuggestion.nearest(to: word, among: known) == expected)
    }

    @Test("suggests nothing if no word is similar", arguments: ["", "xyz", "zzzzzzzz"])
    func noSimilarWord(word: String) {
        #expect(SpellingSuggestion.nearest(to: word, among: ["listen", "database"]) == nil)
    }

    @Test("suggests nothing, without delay, if the word is extremely long")
    func longWord() {
        #expect(SpellingSuggestion.nearest(to: String(repeating: "a", count: 100_000), among: ["listen"]) == nil)
    }
}
