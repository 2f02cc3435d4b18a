import LatchKit
import Testing

@Suite struct EmailAddressTests {
    @Test("IM-17 an e-mail address has an @ and no spaces at its ends")
    func rule() throws {
        #expect(try EmailAddress("Ada@Example.org").text == "ada@example.org")
        // The gateway has two people for these: only ASCII letters are the same in both cases.
        #expect(try EmailAddress("Ädä@Example.org").text == "Ädä@example.org")
        #expect(try EmailAddress("\u{212A}im@example.org").text == "\u{212A}im@example.org")
        for text in [
            "ada", "@example.org", "ada@", " ada@example.org", "ada@example.org ", "a da@example.org", "", "a@b\n",
        ] {
            let error = try #require(throws: LatchError.self, "\(text)") { try EmailAddress(text) }
            #expect(error.code == .invalidEmail)
        }
    }

    @Test("IM-17 spaces at the ends of a typed address are removed first")
    func typed() throws {
        #expect(try EmailAddress(typed: " \tAda@Example.org\n").text == "ada@example.org")
        #expect(throws: LatchError.self) { try EmailAddress(typed: "  ") }
    }
}
