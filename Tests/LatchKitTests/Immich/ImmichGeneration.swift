import HTTPMessages
import Testing

/// A release of Immich as a client meets it: what differs follows from the version alone.
///
/// Source: docs/protocols/immich.md, Versions.
struct ImmichGeneration: Sendable, CustomTestStringConvertible {
    let major: Int
    let minor: Int
    let patch: Int

    init(_ major: Int, _ minor: Int, _ patch: Int) { (self.major, self.minor, self.patch) = (major, minor, patch) }

    /// One of each kind that there is.
    static let all = [
        Self(1, 123, 0), Self(1, 131, 3), Self(1, 132, 3), Self(1, 133, 0), Self(1, 137, 3), Self(1, 138, 0),
        Self(2, 4, 1), Self(2, 7, 5), Self(3, 0, 3), Self(3, 1, 0),
    ]
    static let newest = Self(3, 1, 0)

    var testDescription: String { text }
    var text: String { "v\(major).\(minor).\(patch)" }

    func isAtLeast(_ major: Int, _ minor: Int) -> Bool { (self.major, self.minor) >= (major, minor) }

    /// Errors are `{message}` alone, and an unknown fault names its handler.
    var hasBareErrors: Bool { isAtLeast(3, 0) }
    /// `state` and challenge of the client count.
    var takesState: Bool { isAtLeast(1, 132) }
    var hasPIN: Bool { isAtLeast(1, 133) }
    /// What has nothing to say answers 204, before that 200 or 201.
    var answersNothing: Bool { isAtLeast(1, 138) }
    /// A change of the password ends the other sessions.
    var endsOthers: Bool { isAtLeast(2, 2) }

    /// Source: docs/protocols/immich.md, Errors.
    func error(_ status: Int, _ message: String) -> ScriptedServer.Response {
        if hasBareErrors { return .json(#"{"message":"\#(message)"}"#, status) }
        return .json(
            #"{"message":"\#(message)","error":"X","statusCode":\#(status),"correlationId":"c1"}"#, status)
    }

    /// A request that is not as it must be.
    func invalid(_ member: String, _ sentence: String) -> ScriptedServer.Response {
        if hasBareErrors {
            return .json(
                #"{"message":"Validation failed","errors":[{"path":["\#(member)"],"message":"\#(sentence)","code":"x"}]}"#,
                400)
        }
        return .json(
            #"{"message":["\#(member) \#(sentence)"],"error":"Bad Request","statusCode":400,"correlationId":"c1"}"#, 400
        )
    }

    func done(_ older: Int = 200) -> ScriptedServer.Response {
        answersNothing
            ? ScriptedServer.Response(status: 204, headers: [:]) : ScriptedServer.Response(status: older, headers: [:])
    }
}
