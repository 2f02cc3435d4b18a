import GatewayHTTP
import HTTPMessages
import HTTPServer
import ServerMessages

/// The JSON object in a request body, read member by member. Mistakes are collected and reported together.
///
/// Unknown members are ignored, as servers of this family do.
///
/// Source: docs/protocols/immich.md, Errors; the messages of the issues are those of Zod.
struct ImmichBody: Sendable {
    let json: JSONValue
    private(set) var issues: [ImmichError.Issue] = []

    /// Reads the body of a request. A body that is not a JSON object counts as an empty object, so that missing members
    /// are reported too.
    init(_ request: ServerRequest) {
        self.init(Self.isJSON(request) ? request.body : [])
    }

    /// Parses a request body and reads it with `reader`. A large body is parsed off the event loop.
    ///
    /// - Throws: ``ImmichRefusal`` with all mistakes that `reader` found.
    static func read<Value: Sendable>(
        _ request: ServerRequest, _ reader: @escaping @Sendable (inout ImmichBody) -> Value
    ) async throws(ImmichRefusal) -> Value {
        let work: @Sendable () -> Result<Value, ImmichRefusal> = {
            var body = ImmichBody(request)
            let value = reader(&body)
            return Result { () throws(ImmichRefusal) in
                try body.check()
                return value
            }
        }
        guard request.body.count > DialectRouter.largestUnknownBody else { return try work().get() }
        return try await Task.detached { work() }.value.get()
    }

    /// Parses the bytes of a body.
    init(_ bytes: [UInt8]) {
        json = (try? JSONValue(parsing: bytes, repairsText: false)) ?? .object([])
        guard json.members == nil else { return }
        issues.append(.init(path: [], message: "Invalid input: expected object", code: "invalid_type"))
    }

    private static func isJSON(_ request: ServerRequest) -> Bool {
        guard let media = request.mediaType else { return false }
        return media == JSON.mediaType || media.hasSuffix("+json")
    }

    /// Whether the object has this member.
    func has(_ name: String) -> Bool { json[name] != nil }

    /// Reads a required string with at least `count` characters. Returns an empty string when it is missing or not a
    /// string.
    mutating func text(_ name: String, atLeast count: Int = 0) -> String {
        guard let value = json[name] else {
            refuse(name, message: "Invalid input: expected string, received undefined", code: "invalid_type")
            return ""
        }
        guard let text = value.string else {
            refuse(name, message: "Invalid input: expected string", code: "invalid_type")
            return ""
        }
        if text.unicodeScalars.count < count {
            refuse(name, message: "Too small: expected string to have >=\(count) characters", code: "too_small")
        }
        return text
    }

    /// Reads an optional string. Returns nil when it is missing.
    mutating func optionalText(_ name: String, atLeast count: Int = 0) -> String? {
        has(name) ? text(name, atLeast: count) : nil
    }

    /// Reads a required e-mail address. Returns it unchanged.
    mutating func email(_ name: String) -> String {
        let before = issues.count
        let text = text(name)
        if issues.count == before, !Self.isEmail(text) {
            refuse(name, message: "Invalid email address", code: "invalid_format")
        }
        return text
    }

    /// Reads a required PIN. `counts` is the permitted number of digits.
    mutating func pin(_ name: String, _ counts: ClosedRange<Int>) -> String {
        let before = issues.count
        let text = text(name)
        if issues.count == before, !(counts.contains(text.utf8.count) && Self.isDigits(text)) {
            refuse(name, message: "Invalid string: must match pattern /^\\d{6}$/", code: "invalid_format")
        }
        return text
    }

    /// Reads an optional Boolean. Returns nil when it is missing or refused.
    mutating func optionalBool(_ name: String) -> Bool? {
        guard let value = json[name] else { return nil }
        if value.bool == nil { refuse(name, message: "Invalid input: expected boolean", code: "invalid_type") }
        return value.bool
    }

    /// Reads an optional whole number from `least` to 2⁵³ − 1. Returns nil when it is missing or refused, so that
    /// callers can calculate with the result.
    mutating func optionalNumber(_ name: String, atLeast least: Int) -> Int? {
        guard let value = json[name] else { return nil }
        guard let whole = value.integer, whole <= 9_007_199_254_740_991 else {
            refuse(name, message: "Invalid input: expected int", code: "invalid_type")
            return nil
        }
        guard whole >= least else {
            refuse(name, message: "Too small: expected number to be >=\(least)", code: "too_small")
            return nil
        }
        return whole
    }

    /// Records a mistake.
    mutating func refuse(_ name: String, message: String, code: String) {
        issues.append(.init(path: [name], message: message, code: code))
    }

    /// Whether the member is `null`.
    func isNull(_ name: String) -> Bool { json[name] == .null }

    /// Throws all recorded mistakes, if there are any.
    func check() throws(ImmichRefusal) {
        if !issues.isEmpty { throw ImmichRefusal(issues) }
    }

    private static func isDigits(_ text: String) -> Bool {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Whether a text is a valid e-mail address of at most 254 bytes.
    ///
    /// Source: immich-app/immich v3.1.0, `open-api/immich-openapi-specs.json`, `LoginCredentialDto`; HTML Living
    /// Standard, "valid e-mail address".
    static func isEmail(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, text.utf8.count <= 254 else { return false }
        let isLocal = parts[0].utf8.allSatisfy { isAlphanumeric($0) || ".!#$%&'*+/=?^_`{|}~-".utf8.contains($0) }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        return isLocal
            && labels.allSatisfy { label in
                let bytes = label.utf8
                guard let first = bytes.first, let last = bytes.last, bytes.count <= 63 else { return false }
                return isAlphanumeric(first) && isAlphanumeric(last)
                    && bytes.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
            }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        PercentEncoding.isUnreserved(byte) && !"-._~".utf8.contains(byte)
    }
}
