import Crypto
import JOSE
import TestSupport
import Testing

@Suite struct LeaksTests {
    @Test("a secret is found in text, in bytes and in part, and another secret is not")
    func finds() {
        let secret = "correct horse"
        #expect("the \(secret) battery".leaks(secret) && Array(secret.utf8).leaks(secret))
        #expect(Array("a\(secret)".utf8)[1...].leaks(Array(secret.utf8)))
        #expect(!"the correct  horse".leaks(secret) && ![UInt8]().leaks(secret))
    }

    @Test("a search for too few bytes is refused")
    func short() async {
        await #expect(processExitsWith: .failure) { _ = "any text".leaks("eleven byte") }
    }

    @Test(
        "every signed token of this project has the prefix that the tests search for",
        arguments: [SignatureAlgorithm.rs256, .ps256, .es256, .edDSA])
    func tokens(_ algorithm: SignatureAlgorithm) throws {
        let token = try SigningKey.generate(algorithm, keyID: "a").sign(payload: [1, 2, 3])
        #expect(Leaks.tokenStarts.count { token.leaks($0) } == 1)
    }
}
