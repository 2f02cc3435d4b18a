import HTTPServer
import Wire

/// The JSON object of a request, read member by member; every mistake is gathered and told at once.
///
/// Members that nobody asks for are ignored, as the servers of this family do.
///
/// Source: contract of Immich, error body; the words of the issues are those of Zod.
struct ImmichBody: Sendable {
    let json: JSONValue
    private(set) var issues: [ImmichError.Issue] = []

    /// Reads a request's body; one that is no JSON object is told with the members that are missing from it.
    init(_ request: ServerRequest) {
        self.init(Self.isJSON(request) ? request.body : [])
    }

    /// Parses a request's body and reads it with `reader`. A large body is parsed off the event loop.
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
        guard request.body.count > GatewayDialects.largestUnknownBody else { return try work().get() }
        return try await Task.detached { work() }.value.get()
    }

    /// Reads bytes.
    init(_ bytes: [UInt8]) {
        json = (try? JSONValue(parsing: bytes)) ?? .object([])
        guard json.members == nil else { return }
        issues.append(.init(path: [], message: "Invalid input: expected object", code: "invalid_type"))
    }

    private static func isJSON(_ request: ServerRequest) -> Bool {
        guard let media = request.mediaType else { return false }
        return media == JSON.mediaType || media.hasSuffix("+json")
    }

    /// Whether the member is there.
    func has(_ name: String) -> Bool { json[name] != nil }

    /// A text that must be there; empty when it is not.
    mutating func text(_ name: String, atLeast count: Int = 0) -> String {
        guard let value = json[name] else {
            refuse(name, "Invalid input: expected string, received undefined", "invalid_type")
            return ""
        }
        guard let text = value.string else {
            refuse(name, "Invalid input: expected string", "invalid_type")
            return ""
        }
        if text.unicodeScalars.count < count {
            refuse(name, "Too small: expected string to have >=\(count) characters", "too_small")
        }
        return text
    }

    /// A text that may be missing.
    mutating func optionalText(_ name: String, atLeast count: Int = 0) -> String? {
        has(name) ? text(name, atLeast: count) : nil
    }

    /// An e-mail address, as it was written.
    mutating func email(_ name: String) -> String {
        let before = issues.count
        let text = text(name)
        if issues.count == before, !Self.isEmail(text) { refuse(name, "Invalid email address", "invalid_format") }
        return text
    }

    /// A PIN of `counts` digits that must be there.
    mutating func pin(_ name: String, _ counts: ClosedRange<Int>) -> String {
        let before = issues.count
        let text = text(name)
        if issues.count == before, !(counts.contains(text.utf8.count) && Self.isDigits(text)) {
            refuse(name, "Invalid string: must match pattern /^\\d{6}$/", "invalid_format")
        }
        return text
    }

    /// A truth value that may be missing.
    mutating func optionalTruth(_ name: String) -> Bool? {
        guard let value = json[name] else { return nil }
        if value.bool == nil { refuse(name, "Invalid input: expected boolean", "invalid_type") }
        return value.bool
    }

    /// A whole number from `least` to 2⁵³ that may be missing; nil when it is refused, so that a caller may calculate with it.
    mutating func optionalNumber(_ name: String, atLeast least: Int) -> Int? {
        guard let value = json[name] else { return nil }
        guard let whole = value.integer, whole <= 9_007_199_254_740_991 else {
            refuse(name, "Invalid input: expected int", "invalid_type")
            return nil
        }
        guard whole >= least else {
            refuse(name, "Too small: expected number to be >=\(least)", "too_small")
            return nil
        }
        return whole
    }

    /// Notes a mistake.
    mutating func refuse(_ name: String, _ message: String, _ code: String) {
        issues.append(.init(path: [name], message: message, code: code))
    }

    /// Whether `null` stands there.
    func isNull(_ name: String) -> Bool { json[name] == .null }

    /// Refuses the request when anything was wrong with it.
    func check() throws(ImmichRefusal) {
        if !issues.isEmpty { throw ImmichRefusal(issues) }
    }

    private static func isDigits(_ text: String) -> Bool {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Source: description of Immich 3.1.0, `LoginCredentialDto`; HTML Living Standard, "valid e-mail address".
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
