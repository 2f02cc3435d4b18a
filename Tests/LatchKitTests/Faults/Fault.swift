import Testing

@testable import LatchKit

/// What a server answers while something is wrong, and what the person is told of it.
struct Fault: Sendable, CustomTestStringConvertible {
    /// What the program does when it happens.
    enum Action: Sendable { case finding, signingIn, signedIn, leaving }

    let name: String
    let code: LatchError.Code
    /// What happened and what to do.
    let says: [String]
    /// The same where a server is looked for, if it is told otherwise there.
    var found: (code: LatchError.Code, says: [String])?
    /// The status that an app's own call is handed; nil where it gets an error.
    var status: Int?
    /// Whether it looks like a refusal of a sign-in; the family decides which error that becomes.
    var isRefusal = false
    let response: @Sendable (_ own: ScriptedServer.Response) -> ScriptedServer.Response
    var testDescription: String { name }

    /// Whether nothing came that can be called an answer.
    var isLost: Bool { code == .connectionLost }

    static let all = [
        Fault(name: "the connection is closed without a word", code: .connectionLost, says: lost) { _ in .silence },
        Fault(name: "502 of a proxy", code: .serverError, says: ["Try again later."], found: down(502), status: 502) {
            _ in .page(502)
        },
        Fault(name: "503 in JSON", code: .serverError, says: ["Try again later."], found: down(503), status: 503) {
            _ in .json(#"{"error":"x"}"#, 503)
        },
        Fault(
            name: "a page of sign-in, 200", code: .interceptedResponse,
            says: ["response did not come from", "the response is a web page", "Sign in to it in a browser"]
        ) { _ in .page(200) },
        Fault(name: "cut in the middle of the body", code: .connectionLost, says: lost) { own in
            var cut = own
            cut.missing = 1_000
            return cut
        },
        Fault(
            name: "cut in the middle of the JSON", code: .interceptedResponse,
            says: ["unexpected format", "(status 200", "Try again"],
            found: (.unsupportedServer, ["is not one that this program supports", "Check the address"]), status: 200
        ) { _ in .json(#"{"access_token":"x","#) },
        // The words with which each family refuses a token, which any other program may use too.
        Fault(
            name: "401 of another program, in every family's words", code: .interceptedResponse,
            says: ["; another system refused the session, and the server did not confirm it"], found: unknown,
            isRefusal: true
        ) { _ in .json(vague("Unauthorized", "Authentication required"), 401) },
        Fault(
            name: "403 of another program, in every family's words", code: .serverRefused,
            says: ["refused the request"], found: unknown, status: 403, isRefusal: true
        ) { _ in .json(vague("Forbidden", "Forbidden"), 403) },
    ]

    private static func vague(_ word: String, _ message: String) -> String {
        #"{"detail":"\#(word)","error":"\#(word)","message":"\#(message)"}"#
    }
    private static let unknown: (LatchError.Code, [String]) = (
        .unsupportedServer, ["is not one that this program supports"]
    )

    private static let lost = ["was lost before the response was complete", "Try again"]
    private static func down(_ status: Int) -> (LatchError.Code, [String]) {
        (.serverError, ["is down", "(status \(status))", "Try again later."])
    }

    /// Whether an error tells of this fault: what was done, at which server, what happened, what to do, and what
    /// became of the session.
    func expect(
        _ error: LatchError, while act: Action, at place: ServerAddress,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var expected = act == .finding ? found ?? (code, says) : (code, says)
        if isRefusal, act == .signingIn { expected = (error.code, []) }
        #expect(error.code == expected.0, "\(error)", sourceLocation: sourceLocation)
        for text in [place.description] + expected.1 {
            #expect(error.message.contains(text), "\(text): \(error)", sourceLocation: sourceLocation)
        }
        let failed = ["Login failed: ", "OAuth login failed: ", "Could not sign in: "].contains {
            error.message.hasPrefix($0)
        }
        #expect(failed == (act == .signingIn && !isLost), "\(error)", sourceLocation: sourceLocation)
        let stays = error.message.hasSuffix("You stay signed in.")
        #expect(stays == (act == .signedIn && !isLost), "\(error)", sourceLocation: sourceLocation)
    }
}
