import HTTPMessages

/// An error response of an Immich server, in the envelope of either generation.
///
/// From 3.0 on, the body is `{"message": text}`, with `errors` when the request is invalid. Earlier versions also sent
/// `statusCode`, and `message` could be an array of sentences.
///
/// Source: docs/protocols/immich.md, Errors.
package struct ImmichError: Codable, Sendable, Equatable {
    /// The error message. An array of sentences is joined with `; `.
    package var message: String
    /// The validation errors of the request. Nil when there are none.
    package var errors: [Issue]?

    /// One validation error of a request.
    package struct Issue: Codable, Sendable, Equatable {
        /// The path of the invalid member: the names of the members from the top, and indices of arrays.
        package var path: [String]
        /// The description of the error.
        package var message: String
        /// The kind of error, such as `invalid_type`.
        package var code: String

        /// Creates an issue.
        package init(path: [String], message: String, code: String) {
            self.path = path
            self.message = message
            self.code = code
        }
    }

    /// The message of an error response that has ``errors``.
    package static let validationFailed = "Validation failed"

    /// Creates an error response.
    package init(message: String, errors: [Issue]? = nil) {
        self.message = message
        self.errors = errors
    }

    /// Reads an error from a body. Returns nil when the body is of neither generation and therefore not from an Immich
    /// server.
    package init?(body: [UInt8]) {
        guard let json = try? JSONValue(parsing: body), let message = json["message"] else { return nil }
        if let text = message.string {
            self.init(message: text, errors: json["errors"]?.array?.compactMap(Self.issue))
        } else if let sentences = message.array {
            self.init(message: sentences.compactMap(\.string).joined(separator: "; "))
        } else {
            return nil
        }
    }

    private static func issue(_ json: JSONValue) -> Issue? {
        guard let message = json["message"]?.string else { return nil }
        // A number in a path is an index of an array.
        let path = (json["path"]?.array ?? []).map { part in
            part.string ?? part.integer.map(String.init) ?? ""
        }
        return Issue(path: path, message: message, code: json["code"]?.string ?? "")
    }
}
