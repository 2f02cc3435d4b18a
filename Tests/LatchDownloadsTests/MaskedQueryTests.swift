import Testing

@testable import LatchDownloads

/// What stands behind the `?` of an address is shown nowhere.
struct MaskedQueryTests {
    @Test("A secret of an address is left out of a server's words, however it is spelled there") func spellings() {
        let address = "/s/file.jpg?key=a%2Bb%2Fsecret&slug=my+own+share"
        for word in ["a%2Bb%2Fsecret", "a+b/secret", "my+own+share", "my own share"] {
            let told = SealedQuery.masked("No '\(word)' here.", of: address)
            #expect(told == "No '…' here.")
        }
        #expect(SealedQuery.masked("No file here.", of: address) == "No file here.")
    }
}
