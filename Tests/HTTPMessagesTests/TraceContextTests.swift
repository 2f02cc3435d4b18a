import HTTPMessages
import Testing

/// Source: W3C, "Trace Context", Recommendation of 23 November 2021.
@Suite struct TraceContextTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let span = "00f067aa0ba902b7"
    private static let parent = "00-\(trace)-\(span)-01"

    @Test(arguments: [
        (parent, true), ("00-\(trace)-\(span)-00", false), ("00-\(trace)-\(span)-ff", true),
        // §3.2.4: a later version is read as far as it is known.
        ("01-\(trace)-\(span)-01", true), ("cc-\(trace)-\(span)-01-what-comes-later", true),
    ])
    func `a valid traceparent is read`(_ value: String, isSampled: Bool) throws {
        let context = try #require(TraceContext(parent: value))
        #expect(context.traceID == Self.trace && context.parentID == Self.span && context.isSampled == isSampled)
    }

    @Test(arguments: [
        "", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-", "00-\(trace)-\(span)-0", "00-\(trace)-\(span)-011",
        // §3.2.2.1: version 255 is invalid, and version 00 has nothing behind its flags.
        "ff-\(trace)-\(span)-01", "00-\(trace)-\(span)-01-", "00-\(trace)-\(span)-01-more",
        "cc-\(trace)-\(span)-01.more",
        // §3.2.2.2 and §3.2.2.3: not all zero.
        "00-00000000000000000000000000000000-\(span)-01", "00-\(trace)-0000000000000000-01",
        // §3.2: lower case only.
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-\(span)-01", "00-\(trace)-00F067AA0BA902B7-01", "0G-\(trace)-\(span)-01",
        "00-\(trace)-\(span)-0x", "00_\(trace)_\(span)_01", " 00-\(trace)-\(span)-01", "00-\(trace)-\(span)-01 ",
        "00-\(trace)-00f067aa0ba902é-01",
    ])
    func `a malformed traceparent is ignored`(_ value: String) {
        #expect(TraceContext(parent: value, state: ["a=1"]) == nil)
    }

    @Test func `two traceparent fields are ignored`() {
        var headers: HTTPHeaders = ["Traceparent": Self.parent]
        #expect(TraceContext(headers) != nil)
        headers.append("traceparent", Self.parent)
        #expect(TraceContext(headers) == nil)
        #expect(TraceContext(["tracestate": "a=1"]) == nil)
    }

    @Test(arguments: [
        (["rojo=00f067aa0ba902b7"], "rojo=00f067aa0ba902b7"), (["a=1, b=2 ,\tc=3"], "a=1,b=2,c=3"),
        (["a=1", "b=2"], "a=1,b=2"), (["a=1,,b=2,"], "a=1,b=2"),
        (["fw529a3039@dt=FfIBAAABAAAA, 1a@b=x"], "fw529a3039@dt=FfIBAAABAAAA,1a@b=x"),
        (
            ["a_-*/0=!\"#$%&'()*+-./09:;<>?@AZ[\\]^_`az{|}~", "b= x y"],
            "a_-*/0=!\"#$%&'()*+-./09:;<>?@AZ[\\]^_`az{|}~,b= x y"
        ),
    ])
    func `a valid tracestate is passed on`(_ values: [String], _ expected: String) {
        #expect(TraceContext(parent: Self.parent, state: values)?.state == expected)
    }

    @Test(arguments: [
        "a", "=1", "a=", "A=1", "1=1", "a b=1", "a=b=c", "a=1,a=2", "a=é", "a=\u{7F}", "a@=1", "@a=1", "a@1=1",
        "a@b@c=1",
        "a@\(String(repeating: "b", count: 15))=1", "\(String(repeating: "a", count: 257))=1",
        "a=\(String(repeating: "b", count: 257))", (0..<33).map { "a\($0)=1" }.joined(separator: ","),
    ])
    func `a malformed tracestate is left out, and the trace continues`(_ value: String) throws {
        let context = try #require(TraceContext(parent: Self.parent, state: [value]))
        #expect(context.state == nil)
        #expect(context.fields().map(\.name) == ["traceparent"])
    }

    @Test func `a long tracestate loses long members first, then the last ones`() throws {
        let long = "long=\(String(repeating: "x", count: 200))"
        let many = (10..<30).map { "k\($0)=\(String(repeating: "y", count: 20))" }
        let state = try #require(TraceContext(parent: Self.parent, state: ([long] + many).map { $0 })?.state)
        #expect(state.utf8.count <= TraceContext.maximumStateBytes)
        #expect(state == many.prefix(state.split(separator: ",").count).joined(separator: ","))
        #expect(state.utf8.count + many[0].utf8.count + 1 > TraceContext.maximumStateBytes)
    }

    @Test func `what is passed on has the same trace, a new span and version 00`() throws {
        let context = try #require(TraceContext(parent: "cc-\(Self.trace)-\(Self.span)-ff-more", state: ["a=1"]))
        let first = context.fields()
        let second = context.fields()
        #expect(first[0].value != second[0].value)
        #expect(first[1] == HTTPHeaders.Field(name: "tracestate", value: "a=1"))
        let next = try #require(TraceContext(parent: first[0].value))
        #expect(next.traceID == Self.trace && next.parentID != Self.span)
        #expect(first[0].value.hasPrefix("00-") && first[0].value.hasSuffix("-01"))
    }
}
