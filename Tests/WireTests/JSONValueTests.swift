import Testing
import Wire

@Suite struct JSONValueTests {
    @Test func `a text reads as a value and is written without white space`() throws {
        let value = try JSONValue(parsing: Array(#" {"a": [1, -2.5, true, null], "b": {"c": "x/y\n"} } "#.utf8))
        #expect(value["a"]?.array == [1, .number(-2.5), true, nil])
        #expect(value["b"]?["c"]?.string == "x/y\n")
        let written: JSONValue = ["a": [1, .number(-2.5), true, nil], "b": ["c": "x/y\n\u{1}\"\\ä"]]
        #expect(
            String(decoding: written.encoded(), as: UTF8.self)
                == #"{"a":[1,-2.5,true,null],"b":{"c":"x/y\n\u0001\"\\ä"}}"#)
    }

    @Test(arguments: ["", "{", "nul", "\"a", "{\"a\" 1}", "1 2", "\u{FEFF}x"])
    func `what is no JSON is refused without quoting it`(text: String) {
        let error = #expect(throws: WireError.self) { try JSONValue(parsing: Array(text.utf8)) }
        #expect(error?.message == "The body is not JSON.")
    }

    @Test func `deep nesting is refused and does not trap`() {
        let bytes = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        #expect(throws: WireError.self) { try JSONValue(parsing: bytes) }
    }

    @Test func `every prefix is refused, and a text with a flipped bit is refused or stays what it is read as`() throws
    {
        let text = Array(#"{"access_token":["abc\u00e4",1.5e3,{"x":null}]}"#.utf8)
        for length in text.indices {
            #expect(throws: WireError.self) { try JSONValue(parsing: Array(text.prefix(length))) }
        }
        var refused = 0
        for index in text.indices {
            for bit in 0..<8 {
                var bytes = text
                bytes[index] ^= 1 << bit
                do {
                    let value = try JSONValue(parsing: bytes)
                    #expect(try JSONValue(parsing: value.encoded()) == value)
                } catch {
                    refused += 1
                }
            }
        }
        #expect(refused > 100)
    }
}
