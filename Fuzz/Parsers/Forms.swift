@testable import Crypto
@testable import HTTPMessages

extension FuzzedParser {
    static let forms = [
        FuzzedParser("form") { input in
            guard let form = try? FormURLEncoded.decode(input) else { return }
            try require(form.pairs.count <= FormURLEncoded.maximumFields, "A form has more fields than are allowed.")
            try require(
                !form.pairs.contains { $0.name.utf8.contains(0) || $0.value.utf8.contains(0) }, "A field holds a NUL.")
            let written = FormURLEncoded.encode(form.pairs.map { ($0.name, $0.value) })
            try require((try? FormURLEncoded.decode(written)) == form, "A form is another after writing and reading.")
        },
        FuzzedParser("percent-encoding") { input in
            guard let text = PercentEncoding.decode(input) else { return }
            let again = PercentEncoding.decode(PercentEncoding.encode(text).utf8)
            try require(again.map { Array($0.utf8) } == Array(text.utf8), "Text is other after encoding and decoding.")
        },
        FuzzedParser("json") { input in
            guard let value = try? JSONValue(parsing: input) else { return }
            readNumbers(in: value)
            let written = value.encoded()
            try require((try? JSONValue(parsing: written)) == value, "JSON differs after writing and reading.")
        },
        FuzzedParser("base64url") { input in
            try require(Base64URL.decode(Base64URL.encode(input)) == input, "Bytes are other after base64url.")
            guard let bytes = Base64URL.decode(input.text) else { return }
            try require(Base64URL.encode(bytes) == input.text, "Base64url that is not canonical was accepted.")
        },
    ]
}

/// Reads every number of a value as the messages do.
private func readNumbers(in value: JSONValue) {
    switch value {
    case .number(let number): _ = (number.integer(Int.self), number.integer(UInt8.self), number.double)
    case .array(let values): values.forEach(readNumbers)
    case .object(let members): members.forEach { readNumbers(in: $0.value) }
    case .null, .bool, .string: break
    }
}
