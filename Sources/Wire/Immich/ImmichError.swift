/// An Immich server's refusal, in the envelope of either generation.
///
/// From 3.0 on it is `{"message": text}`, with `errors` where the request itself is not as it must be. Before that it had
/// `statusCode`, and `message` could be an array of sentences.
///
/// Source: contract of Immich, error body.
public struct ImmichError: Codable, Sendable, Equatable {
    /// The sentence; of an array of them all, parted by `; `.
    public var message: String
    /// What is wrong with the request.
    public var errors: [Issue]?

    /// One thing that is wrong with a request.
    public struct Issue: Codable, Sendable, Equatable {
        /// The names that lead to the member.
        public var path: [String]
        /// What is wrong with it.
        public var message: String
        /// The kind of mistake, such as `invalid_type`.
        public var code: String

        /// Makes an issue.
        public init(path: [String], message: String, code: String) {
            self.path = path
            self.message = message
            self.code = code
        }
    }

    /// The message of a refusal that has ``errors``.
    public static let validationFailed = "Validation failed"

    /// Makes a refusal.
    public init(message: String, errors: [Issue]? = nil) {
        self.message = message
        self.errors = errors
    }

    /// Reads a body; nil when it is of neither generation, so not an Immich server's own word.
    public init?(body: [UInt8]) {
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
        // A number in a path is the place in an array.
        let path = (json["path"]?.array ?? []).map { part in
            part.string ?? part.integer.map(String.init) ?? ""
        }
        return Issue(path: path, message: message, code: json["code"]?.string ?? "")
    }
}
