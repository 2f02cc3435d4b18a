import HTTPMessages
import Testing

@Suite struct FormURLEncodedTests {
    @Test(arguments: [
        "a=1&b=2": [("a", "1"), ("b", "2")],
        "username=ada%40example.org&password=a+b%2Bc": [("username", "ada@example.org"), ("password", "a b+c")],
        "a&b=&=c": [("a", ""), ("b", ""), ("", "c")],
        "&&a=b=c&": [("a", "b=c")],
        "": [],
    ])
    func `a form is parsed into its pairs in order`(text: String, pairs: [(name: String, value: String)]) throws {
        #expect(try FormURLEncoded.decode(text) == FormFields(pairs))
    }

    @Test(arguments: ["a=%", "a=%4", "a=%4g", "a=%00", "a=%ff", "%c3=1"])
    func `a broken escape, a NUL and bytes that are not UTF-8 are refused`(text: String) {
        let error = #expect(throws: MessageError.self) { try FormURLEncoded.decode(text) }
        #expect(error?.code == .malformed)
        #expect(error?.message.contains("Field 1") == true)
    }

    @Test func `a form with more fields than the limit is refused`() {
        let error = #expect(throws: MessageError.self) {
            try FormURLEncoded.decode(Array(repeating: "a=b", count: 1_001).joined(separator: "&"))
        }
        #expect(error?.code == .tooLarge)
    }

    @Test func `a form round-trips through its encoding`() throws {
        let pairs = [("pass word", "ä+&=%/?\u{1F600}"), ("", ""), ("a*-._", "~ ")]
        let text = FormURLEncoded.encode(pairs)
        #expect(text.hasPrefix("pass+word=%C3%A4%2B%26%3D%25%2F%3F"))
        #expect(try FormURLEncoded.decode(text) == FormFields(pairs.map { (name: $0.0, value: $0.1) }))
    }

    @Test func `a truncated form, or one with a flipped bit, is refused or round-trips`() throws {
        func check(_ bytes: [UInt8]) throws {
            do {
                let fields = try FormURLEncoded.decode(bytes)
                let again = FormURLEncoded.encode(fields.map { ($0.name, $0.value) })
                #expect(try FormURLEncoded.decode(again) == fields)
            } catch {}
        }
        let form = Array("username=ada%40example.org&password=a+b%2Bc%C3%A4".utf8)
        for length in 0...form.count { try check(Array(form.prefix(length))) }
        for index in form.indices {
            for bit in 0..<8 {
                var bytes = form
                bytes[index] ^= 1 << bit
                try check(bytes)
            }
        }
    }
}
