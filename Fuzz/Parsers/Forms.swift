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
        FuzzedParser("trace-context") { input in
            let lines = input.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            guard let context = TraceContext(parent: lines[0], state: Array(lines.dropFirst())) else { return }
            let fields = context.fields()
            try require(
                fields.allSatisfy { HTTPHeaders.isSafe(name: $0.name, value: $0.value) }, "A field is not safe.")
            try require((context.state?.utf8.count ?? 0) <= TraceContext.maximumStateBytes, "The state is too long.")
            let next = TraceContext(parent: fields[0].value, state: fields.dropFirst().map(\.value))
            try require(
                next?.traceID == context.traceID && next?.state == context.state && next?.parentID != context.parentID
                    && next?.isSampled == context.isSampled, "What is passed on is another trace.")
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
