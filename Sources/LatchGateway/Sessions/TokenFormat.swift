public import Crypto
public import FoundationEssentials

/// What kind of text a session's token is.
///
/// Whatever it is, it opens something here only while a session has its SHA-256: what it says itself is for others.
public enum TokenFormat: Sendable {
    /// 43 characters that say nothing; the session lives on with its use.
    case opaque
    /// A text that says something itself, as a signed one does, for how long it is good among it. The session lives for
    /// `lifetime` however much it is used, for the text cannot be changed any more.
    case made(lifetime: Duration, @Sendable (SessionFacts) throws -> Secret)
}

/// What is known of a session when its token is made.
public struct SessionFacts: Sendable {
    /// The public id.
    public let id: SessionID
    /// Who signed in.
    public let person: Person
    /// When, to the second.
    public let created: Date
    /// When the session ends, to the second.
    public let expires: Date
}
