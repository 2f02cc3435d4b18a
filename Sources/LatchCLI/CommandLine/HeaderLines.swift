import Crypto
import FoundationEssentials
import HTTPMessages
import LatchKit
import Primitives
import Terminal

/// Header fields as a person gives them: `Name: value`, or `@FILE` with such lines.
enum HeaderLines {
    /// What the fields are used for.
    enum Use {
        /// One request.
        case request
        /// Every request to a server.
        case server

        /// Whether the request or the connection sets the field itself, by its lower-case name. A second field would
        /// break it.
        fileprivate func isReserved(_ name: String) -> Bool {
            switch self {
            case .request: ConnectionOptions.isReservedByConnection(name) || name == "authorization"
            // The dialect decides whether the session needs the field Authorization.
            case .server: ConnectionOptions.isReserved(name)
            }
        }
    }

    /// Rejects an `Authorization` field when the session sends its own.
    ///
    /// - Throws: ``LatchError/Code/invalidInput``.
    static func check(_ headers: HTTPHeaders, for dialect: any Dialect) throws(LatchError) {
        guard headers["Authorization"] != nil,
            dialect.authorization(Secret(""), besides: headers)["Authorization"] != nil
        else { return }
        throw LatchError(
            .invalidInput,
            "The session itself sets the header Authorization for servers that speak \(dialect.title). Leave it out.")
    }

    static func read(_ words: [String], with use: Use) async throws -> HTTPHeaders {
        var headers: HTTPHeaders = [:]
        for word in words {
            guard word.hasPrefix("@") else {
                try add(word, use, to: &headers)
                continue
            }
            let bytes = try await InputFile.read(String(word.dropFirst()), what: "the header file")
            for line in InputFile.lines(bytes) { try add(line, use, to: &headers) }
        }
        return headers
    }

    /// Returns one field with a separate name and value. The value `@FILE` reads the only line of a file, `@-` that of
    /// standard input.
    static func read(name: String, value: String) async throws -> HTTPHeaders {
        guard HTTPHeaders.isSafe(name: name, value: "") else {
            throw LatchError(
                .invalidInput, "'\(name.printable)' is not a valid header name. Use letters, digits and hyphens.")
        }
        let text =
            switch value {
            case "@-": try onlyLine(try await InputFile.standardInput())
            case _ where value.hasPrefix("@"):
                try onlyLine(try await InputFile.read(String(value.dropFirst()), what: "the header file"))
            default: value
            }
        var headers: HTTPHeaders = [:]
        try add("\(name): \(text)", .server, to: &headers)
        return headers
    }

    /// Returns the only line of a file. A value on several lines would be sent truncated.
    private static func onlyLine(_ bytes: [UInt8]) throws(LatchError) -> String {
        let lines = InputFile.lines(bytes)
        guard lines.count == 1 else {
            throw LatchError(
                .invalidInput, "A header value must be one line, but the input has \(lines.count) lines.")
        }
        return lines[0]
    }

    /// Adds a field. An error does not quote the value, because it may be a secret.
    private static func add(_ line: String, _ use: Use, to headers: inout HTTPHeaders) throws(LatchError) {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let value = parts.count > 1 ? String(parts[1]).trimmed : ""
        guard parts.count == 2, HTTPHeaders.isSafe(name: name, value: value) else {
            throw LatchError(
                .invalidInput,
                "A header must have the form 'Name: value', with letters, digits and hyphens in its name.")
        }
        guard !use.isReserved(name.lowercased()) else {
            throw LatchError(
                .invalidInput,
                "The header \(name) is set by the session, the request or the connection. Leave it out.")
        }
        guard !value.isEmpty else {
            throw LatchError(.invalidInput, "The header \(name) has no value. Write it as 'Name: value'.")
        }
        headers.append(name, value)
    }
}
