import TestSupport
import Testing

@testable import LatchDownloads

/// What stands behind the `?` of an address is shown nowhere.
struct MaskedQueryTests {
    @Test("A secret in a URL is masked in the server's messages, in every encoding") func spellings() {
        let address = "/s/file.jpg?key=a%2Bb%2Fsecret&slug=my+own+share"
        for secret in ["a%2Bb%2Fsecret", "a+b/secret", "my+own+share", "my own share"] {
            let message = SealedQuery.masked("No '\(secret)' here.", of: address)
            #expect(message == "No '…' here.")
        }
        #expect(SealedQuery.masked("No file here.", of: address) == "No file here.")
    }

    @Test(
        "A secret in a URL is masked also beside a mark that joins it",
        arguments: JoiningMarks.all)
    func joined(_ mark: String) {
        let message = SealedQuery.masked("\(mark)secret\(mark)", of: "/s/file.jpg?key=secret")
        #expect(Array(message.utf8) == Array("\(mark)…\(mark)".utf8))
    }
}
