/// The place of a request in a distributed trace: the fields `traceparent` and `tracestate`.
///
/// While the server handles a request with a valid `traceparent`, ``current`` is its context. Requests that are sent on
/// its behalf carry ``fields``, with the same trace and a new span. A request without the field, or with a malformed
/// one, is not traced.
///
/// Source: W3C, "Trace Context", Recommendation of 23 November 2021, §3.2, §3.3 and §4.
package struct TraceContext: Sendable, Equatable {
    /// The id of the trace: 32 hexadecimal digits in lower case, not all zero.
    package let traceID: String
    /// The id of the sender's span: 16 hexadecimal digits in lower case, not all zero.
    package let parentID: String
    /// Whether the sender may have recorded the request.
    package let isSampled: Bool
    /// The state of the tracing systems. Nil when there is none or it is malformed. At most ``maximumStateBytes`` bytes.
    package let state: String?

    /// The context of the request that this task handles. Nil when the request is not traced.
    @TaskLocal package static var current: TraceContext?

    /// The name of the field with the trace and the span.
    package static let parentField = "traceparent"
    /// The name of the field with the state of the tracing systems.
    package static let stateField = "tracestate"
    /// The maximum length of a state that is passed on.
    ///
    /// Source: §3.3.1.5, "Vendors SHOULD propagate at least 512 characters of a combined header".
    package static let maximumStateBytes = 512

    /// Reads the context of a request. Returns nil when there is not exactly one valid `traceparent`.
    package init?(_ headers: HTTPHeaders) {
        guard let parent = headers[Self.parentField], headers.values(Self.parentField).count == 1 else { return nil }
        self.init(parent: parent, state: headers.values(Self.stateField))
    }

    /// Reads a context from the values of its fields. A malformed state is left out.
    package init?(parent: String, state: [String] = []) {
        let bytes = Array(parent.utf8)
        guard bytes.count >= 55, bytes[2] == Self.dash, bytes[35] == Self.dash, bytes[52] == Self.dash,
            let version = Self.hexadecimal(bytes[0..<2]), version != "ff",
            // A later version may add fields after a dash.
            bytes.count == 55 || (version != "00" && bytes[55] == Self.dash),
            let trace = Self.hexadecimal(bytes[3..<35]), trace.contains(where: { $0 != "0" }),
            let span = Self.hexadecimal(bytes[36..<52]), span.contains(where: { $0 != "0" }),
            let flags = Self.hexadecimal(bytes[53..<55]).flatMap({ UInt8($0, radix: 16) })
        else { return nil }
        traceID = trace
        parentID = span
        isSampled = flags & 1 == 1
        self.state = TraceState(state)?.text
    }

    /// Returns the fields for a message that is sent on behalf of the request: the same trace with a new span.
    ///
    /// The version is 00, and flags that it does not define are zero.
    package func fields() -> [HTTPHeaders.Field] {
        var span: UInt64
        repeat { span = UInt64.random(in: .min ... .max) } while span == 0
        let digits = String(span, radix: 16)
        let padded = String(repeating: "0", count: 16 - digits.utf8.count) + digits
        var fields = [
            HTTPHeaders.Field(name: Self.parentField, value: "00-\(traceID)-\(padded)-\(isSampled ? "01" : "00")")
        ]
        if let state { fields.append(HTTPHeaders.Field(name: Self.stateField, value: state)) }
        return fields
    }

    private static let dash = UInt8(ascii: "-")

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String? {
        let isValid = bytes.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        return isValid ? String(decoding: bytes, as: UTF8.self) : nil
    }
}
