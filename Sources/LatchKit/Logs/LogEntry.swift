public import FoundationEssentials

/// One line of the client's log: what was done with which server, and what came of it. Never a secret, a path or a name.
public struct LogEntry: Sendable, Hashable, Codable {
    /// What was done.
    public enum Act: String, Sendable, Codable, CaseIterable {
        /// Asking an address what it is; only failures are noted.
        case probe
        /// A sign-in with a password.
        case passwordSignIn = "sign-in"
        /// A sign-in with the browser.
        case browserSignIn = "browser-sign-in"
        /// A sign-in with a key.
        case keySignIn = "key-sign-in"
        /// A request of a program's own; only what kept the server from answering is noted.
        case request
        /// Replacing the account's key.
        case keyRotation = "key-rotation"
        /// Revoking a key.
        case keyRevocation = "key-revocation"
        /// Renewing a session.
        case refresh
        /// Asking the server again whether it has ended a session.
        case confirm
        /// The server refused a token.
        case rejected
        /// A session ended without a sign-out: by the server's word, or with its key.
        case ended
        /// Signing out.
        case signOut = "sign-out"
    }

    /// When it was done.
    public var time: Date
    /// The program's name.
    public var program: String
    /// The program's process.
    public var process: Int
    /// What was done.
    public var act: Act
    /// The server's host, with its port where it is not the usual one.
    public var server: String
    /// `ok`, or the code of what failed, or the server's reason.
    public var outcome: String
    /// How long it took, where that is known.
    public var milliseconds: Int?

    /// Reads a line.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        time = try Date(container.decode(String.self, forKey: .time), strategy: .iso8601)
        program = try container.decode(String.self, forKey: .program)
        process = try container.decode(Int.self, forKey: .process)
        act = try container.decode(Act.self, forKey: .act)
        server = try container.decode(String.self, forKey: .server)
        outcome = try container.decode(String.self, forKey: .outcome)
        milliseconds = try container.decodeIfPresent(Int.self, forKey: .milliseconds)
    }

    /// Writes a line, the time as people read it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(time.formatted(.iso8601), forKey: .time)
        try container.encode(program, forKey: .program)
        try container.encode(process, forKey: .process)
        try container.encode(act, forKey: .act)
        try container.encode(server, forKey: .server)
        try container.encode(outcome, forKey: .outcome)
        try container.encodeIfPresent(milliseconds, forKey: .milliseconds)
    }

    private enum CodingKeys: String, CodingKey { case time, program, process, act, server, outcome, milliseconds }

    init(
        time: Date, program: String, process: Int, act: Act, server: String, outcome: String, milliseconds: Int?
    ) {
        self.time = time
        self.program = program
        self.process = process
        self.act = act
        self.server = server
        self.outcome = outcome
        self.milliseconds = milliseconds
    }

    /// The server's reason as a log may hold it: one word of letters and `_`, as codes are; anything else is `unknown`.
    static func word(_ text: String) -> String {
        let isCode =
            (1...40).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                $0 == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
            }
        return isCode ? text : "unknown"
    }
}
