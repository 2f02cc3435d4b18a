import Foundation
import LatchKit
import Terminal

/// Header fields as a person writes them: `Name: value`, or `@FILE` with such lines.
enum HeaderLines {
    static func read(_ words: [String]) async throws -> HTTPHeaders {
        var headers: HTTPHeaders = [:]
        for word in words {
            guard word.hasPrefix("@") else {
                try add(word, to: &headers)
                continue
            }
            let bytes = try await InputFile.read(String(word.dropFirst()), what: "the headers' file")
            for line in InputFile.lines(bytes) { try add(line, to: &headers) }
        }
        return headers
    }

    /// One field whose name and value were given apart; a value of `@FILE` is the file's one line, `@-` standard input's.
    static func read(name: String, value: String) async throws -> HTTPHeaders {
        guard HTTPHeaders.isSafe(name: name, value: "") else {
            throw LatchError(.invalidInput, "'\(name.printable)' is no header's name: letters, digits and hyphens.")
        }
        let text =
            switch value {
            case "@-": try onlyLine(try await InputFile.standardInput())
            case _ where value.hasPrefix("@"):
                try onlyLine(try await InputFile.read(String(value.dropFirst()), what: "the header's file"))
            default: value
            }
        var headers: HTTPHeaders = [:]
        try add("\(name): \(text)", to: &headers)
        return headers
    }

    /// A value that goes on in further lines would be sent cut.
    private static func onlyLine(_ bytes: [UInt8]) throws(LatchError) -> String {
        let lines = InputFile.lines(bytes)
        guard lines.count == 1 else {
            throw LatchError(
                .invalidInput, "A header's value is one line, and \(lines.count) came. Write it to a file of one line.")
        }
        return lines[0]
    }

    /// The value is not quoted when it is refused: it may be a secret.
    private static func add(_ line: String, to headers: inout HTTPHeaders) throws(LatchError) {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let value = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        guard parts.count == 2, HTTPHeaders.isSafe(name: name, value: value) else {
            throw LatchError(
                .invalidInput, "A header is written as 'Name: value', with letters and hyphens in its name.")
        }
        let ours = [
            "authorization", "host", "content-length", "transfer-encoding", "connection", "upgrade", "te",
        ]
        guard !ours.contains(name.lowercased()) else {
            throw LatchError(
                .invalidInput, "The header \(name) is the session's or the connection's own. Leave it out.")
        }
        headers.append(name, value)
    }
}
