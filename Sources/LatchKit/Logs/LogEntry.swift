package import FoundationEssentials

/// A line of the client's log: an action, the server and the outcome. It never contains a secret, a path or a person's
/// name.
package struct LogEntry: Sendable, Hashable, Codable {
    /// An action that is logged.
    package enum Action: String, Sendable, Codable, CaseIterable {
        /// Probing an address. Only failures are logged.
        case probe
        /// A sign-in with a password.
        case passwordSignIn = "sign-in"
        /// A sign-in with the browser.
        case browserSignIn = "browser-sign-in"
        /// A sign-in with a code on another device.
        case deviceSignIn = "device-sign-in"
        /// A sign-in with a key.
        case keySignIn = "key-sign-in"
        /// A request that a program sends. It is logged only when no valid response came from the server.
        case request
        /// Replacing the account's key.
        case keyRotation = "key-rotation"
        /// Revoking a key.
        case keyRevocation = "key-revocation"
        /// Renewing a session.
        case refresh
        /// Asking the server again whether it has ended a session.
        case confirm
        /// A token that the server rejected.
        case rejected
        /// The end of a session without a sign-out, because the server ended it or its key was revoked.
        case ended
        /// A switch to another address of the server. The outcome is `ok`, or `rejected` for a return to the account's own
        /// address because another one rejected the session.
        case endpoint
        /// Signing out.
        case signOut = "sign-out"
    }

    /// When the entry was written, at the end of the action.
    package var time: Date
    /// The name of the program.
    package var program: String
    /// The process id of the program.
    package var process: Int
    /// The action.
    package var action: Action
    /// The server's host, with its port unless that is the default.
    package var server: String
    /// The outcome: `ok`, the code of an error, or the server's reason.
    package var outcome: String
    /// The duration of the action. Nil when it was not measured.
    package var milliseconds: Int?

    /// Reads an entry.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        time = try Date(container.decode(String.self, forKey: .time), strategy: .iso8601)
        program = try container.decode(String.self, forKey: .program)
        process = try container.decode(Int.self, forKey: .process)
        action = try container.decode(Action.self, forKey: .action)
        server = try container.decode(String.self, forKey: .server)
        outcome = try container.decode(String.self, forKey: .outcome)
        milliseconds = try container.decodeIfPresent(Int.self, forKey: .milliseconds)
    }

    /// Writes an entry, with the time in ISO 8601 format.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(time.formatted(.iso8601), forKey: .time)
        try container.encode(program, forKey: .program)
        try container.encode(process, forKey: .process)
        try container.encode(action, forKey: .action)
        try container.encode(server, forKey: .server)
        try container.encode(outcome, forKey: .outcome)
        try container.encodeIfPresent(milliseconds, forKey: .milliseconds)
    }

    private enum CodingKeys: String, CodingKey {
        case time, program, process, server, outcome, milliseconds
        case action = "act"
    }

    init(
        time: Date, program: String, process: Int, action: Action, server: String, outcome: String, milliseconds: Int?
    ) {
        self.time = time
        self.program = program
        self.process = process
        self.action = action
        self.server = server
        self.outcome = outcome
        self.milliseconds = milliseconds
    }

    /// Returns the server's reason if it is safe to log, that is 1 to 40 letters and `_`, as in codes. Returns
    /// `unknown` for anything else.
    static func word(_ text: String) -> String {
        let isCode =
            (1...40).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                $0 == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
            }
        return isCode ? text : "unknown"
    }
}
