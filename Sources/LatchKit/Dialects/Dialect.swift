public import FoundationEssentials

/// One server family's way of speaking: paths, messages, error envelopes. A value without state.
///
/// What a dialect gives are requests to send and readings of answers; sending, keeping and locking are done once, in
/// ``Session``. A new family is one conforming type and one line in ``Dialects/all``. What only some families can is in
/// protocols of its own: ``PasswordDialect``, ``BrowserDialect``, ``KeyDialect``, ``PasswordChangeDialect``,
/// ``SessionListDialect``.
///
/// Source: ARCHITECTURE.md, dialects.
public protocol Dialect: Sendable {
    /// The word under which accounts remember the dialect.
    var id: DialectID { get }
    /// The family's name for people.
    var title: String { get }
    /// What this value knows of its one server beyond the family, to be kept with the account: never a secret.
    var details: [String: String] { get }
    /// The same dialect for the server that told these details; see ``details``.
    func with(details: [String: String]) -> any Dialect

    /// The question that only this family answers in its way; sent without a token.
    var probe: DialectRequest { get }
    /// Reads the answer to ``probe``.
    func recognise(_ answer: ClientResponse) -> Recognition
    /// Looks for a server of the family at an address; where ``probe`` alone is not enough, asks more.
    ///
    /// - Returns: The server, which may have another address than the one that was asked, or who answered instead.
    /// - Throws: ``LatchError`` when nobody answered; `CancellationError`.
    func find(_ line: ServerLine) async throws -> Finding

    /// The request that asks who is signed in.
    var identity: DialectRequest { get }
    /// Reads a successful answer to ``identity``; nil when it is none of this family's.
    func identity(from answer: ClientResponse) -> Identity?

    /// The request that renews a token, sent with it; nil where tokens cannot be renewed.
    var refresh: DialectRequest? { get }
    /// Reads a successful answer to ``refresh``; nil when it is none of this family's.
    func renewal(from answer: ClientResponse) -> Grant?
    /// When a token granted at `now` is due to be renewed.
    func refreshDate(now: Date, expires: Date?) -> Date

    /// The request that ends the session on the server, sent with the token; nil where there is none.
    ///
    /// - Parameter keyID: The id of the account's key, where the token is one.
    /// - Returns: The request.
    func signOut(keyID: String?) -> DialectRequest?
    /// Reads the server's own answer to ``signOut(keyID:)``: nil when the session has ended there, else why it has not, as
    /// a sentence.
    func notEnded(_ answer: ClientResponse, at server: ServerAddress) -> String?

    /// Whether a server that takes ``signOut(keyID:)`` well has ended the session; otherwise it is asked once more who is
    /// signed in.
    var signsOutForCertain: Bool { get }

    /// The service and account under which the apps of this family store a token in the secret store; nil when this program's
    /// own name is used. The account's id is stored beside them.
    var tokenName: (service: String, account: String)? { get }

    /// The fields that carry a token.
    func authorization(_ token: Secret) -> HTTPHeaders
    /// The fields that carry a token on a connection that adds fields of its own: theirs must not be lost.
    func authorization(_ token: Secret, besides extra: HTTPHeaders) -> HTTPHeaders
    /// Fields of every request with a token that does not have them itself.
    var tokenHeaders: HTTPHeaders { get }

    /// What an answer to a request with a token says about the session.
    ///
    /// - Parameters:
    ///   - answer: Any answer, from whoever gave it.
    ///   - path: The path that was asked, below the address.
    ///   - server: The address that was asked.
    /// - Returns: Whose answer it is, and whether it takes the token.
    func verdict(on answer: ClientResponse, to path: String, at server: ServerAddress) -> Verdict

    /// The server's own words in the family's error envelope; nil where there are none. Not yet fit to be printed.
    func words(in answer: ClientResponse) -> String?

    /// How long the server wants a client to wait after an answer; nil when it does not matter.
    func pause(after answer: ClientResponse) -> Duration?
    /// What is known of a fault of the server's own, as a sentence; nil where nothing is.
    func remedy(for answer: ClientResponse) -> String?
}

extension Dialect {
    /// Nothing.
    public var details: [String: String] { [:] }
    /// This very value: a family whose servers are all alike.
    public func with(details: [String: String]) -> any Dialect { self }

    /// Asks ``probe`` and reads the answer.
    public func find(_ line: ServerLine) async throws -> Finding {
        let answer = try await line.send(probe)
        return switch recognise(answer) {
        case .server(let features): .server(self, line.address, features)
        case .stranger(let reason): .stranger(reason, answer)
        }
    }

    /// The same fields as without.
    public func authorization(_ token: Secret, besides extra: HTTPHeaders) -> HTTPHeaders { authorization(token) }

    /// None.
    public var refresh: DialectRequest? { nil }
    /// None.
    public func renewal(from answer: ClientResponse) -> Grant? { nil }
    /// Never: there is nothing to renew with.
    public func refreshDate(now: Date, expires: Date?) -> Date { .distantFuture }

    /// None.
    public var tokenName: (service: String, account: String)? { nil }
    /// None.
    public var tokenHeaders: HTTPHeaders { [:] }
    /// It has.
    public var signsOutForCertain: Bool { true }
    /// What `Retry-After` says.
    public func pause(after answer: ClientResponse) -> Duration? { RetryAfter.read(answer) }
    /// Nothing.
    public func remedy(for answer: ClientResponse) -> String? { nil }

    /// Any success has ended it.
    public func notEnded(_ answer: ClientResponse, at server: ServerAddress) -> String? {
        guard !answer.status.isSuccess else { return nil }
        let words = ServerText.clean(words(in: answer) ?? ForeignAnswer.sketch(answer))
        return "\(server) refuses: \(words)."
    }
}

/// A family that signs people in with e-mail and password.
public protocol PasswordDialect: Dialect {
    /// The request that signs in with a password.
    func passwordSignIn(email: EmailAddress, password: Secret, device: Device) -> DialectRequest
    /// Reads the answer to ``passwordSignIn(email:password:device:)``.
    ///
    /// - Throws: A ``LatchError`` for every answer that brings no token; `server` is named in its message.
    func grant(from answer: ClientResponse, of server: ServerAddress) throws(LatchError) -> Grant
}

/// The word under which accounts remember a dialect; an unknown one survives the round trip.
public struct DialectID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The word.
    public let rawValue: String
    /// Makes an id of any word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The word.
    public var description: String { rawValue }
}

/// The dialects that this library speaks.
public enum Dialects {
    /// All of them, in the order in which a server is asked.
    public static let all: [any Dialect] = [
        OnyxDialect(),
        ImmichDialect(),
        TimeTrackerDialect(),
        RelateMailDialect(),
        ProtectedDialect(),
    ]

    /// The dialect of that id, or nil when this version does not know it.
    public static func named(_ id: DialectID, details: [String: String] = [:]) -> (any Dialect)? {
        all.first { $0.id == id }?.with(details: details)
    }
}
