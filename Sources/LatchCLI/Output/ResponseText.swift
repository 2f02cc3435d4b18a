import FoundationEssentials
import HTTPClient
import HTTPMessages
import LatchKit
import Primitives
import Terminal

/// The text and JSON forms of a server's response, for `latch request`.
struct ResponseText {
    let response: ClientResponse
    /// The method and the address of the request, without the query, which may hold secrets.
    let question: String

    /// Prints the body unchanged. On a terminal, prints no binary data, and adds a newline at the end.
    func show(on console: Console, isIncluding: Bool) throws {
        guard !console.isJSON else { return try console.result([], json: json) }
        if isIncluding { try console.printLines([statusLine] + fields + [""]) }
        if !response.status.isSuccess, !isIncluding {
            console.printMessage(
                "\(console.errors.bad("latch:")) The server responded to \(question) with \(statusLine).")
        }
        guard Descriptor.isTerminal(Descriptor.output) else { return try console.raw(response.body) }
        guard isText else {
            console.printMessage(
                "The response is \(response.body.count) bytes of binary data. Write it to a file: latch request … > FILE"
            )
            return
        }
        let isOpen = response.body.last.map { $0 != UInt8(ascii: "\n") } ?? false
        try console.raw(response.body + (isOpen ? [UInt8(ascii: "\n")] : []))
    }

    private var statusLine: String {
        "HTTP/\(response.httpVersion) \(response.status)"
    }

    private var fields: [String] {
        response.headers.map { "\($0.name): \($0.value)".printable }
    }

    /// Whether the body is text without control characters that could move the cursor, change colours or ring the bell.
    private var isText: Bool {
        String(validating: response.body, as: UTF8.self) != nil
            && response.body.allSatisfy { $0 >= 0x20 && $0 != 0x7F || [0x09, 0x0A, 0x0D].contains($0) }
    }

    /// The response as JSON. `body` is the parsed value of JSON, a string for other text, and null for binary data,
    /// which is in `bodyBase64`.
    private var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("status", .number(Double(response.status.rawValue))),
            .init(
                "headers",
                .array(
                    response.headers.map {
                        .object([.init("name", .string($0.name)), .init("value", .string($0.value))])
                    })),
        ]
        if let value = try? JSONValue(parsing: response.body) {
            members.append(.init("body", value))
        } else if let text = String(validating: response.body, as: UTF8.self) {
            members.append(.init("body", response.body.isEmpty ? .null : .string(text)))
        } else {
            members += [.init("body", .null), .init("bodyBase64", .string(Data(response.body).base64EncodedString()))]
        }
        if !response.status.isSuccess {
            let error = LatchError(.httpStatus, "The server responded with \(statusLine).")
            members.append(.init("error", Console.json(error)))
        }
        return .object(members)
    }
}
