/// One step of finding and trusting a server, told so that it can be printed as it stands.
public struct ProbeStep: Sendable, CustomStringConvertible {
    /// What was looked at.
    public enum Kind: String, Sendable, CaseIterable {
        /// The address itself.
        case address
        /// Finding the host by its name.
        case name
        /// Reaching it.
        case connection
        /// Trusting its certificate.
        case trust
        /// Asking what it is.
        case dialect
    }

    /// How it went.
    public enum Outcome: String, Sendable {
        /// Good.
        case passed
        /// It works, and a person should know something.
        case warned
        /// It did not work.
        case failed
        /// It was not come to.
        case skipped
    }

    /// What was looked at.
    public let kind: Kind
    /// How it went.
    public let outcome: Outcome
    /// What was found, in one sentence.
    public let message: String
    /// What to do about it, when there is something to do.
    public let remedy: String?

    /// Makes a step.
    public init(_ kind: Kind, _ outcome: Outcome, _ message: String, remedy: String? = nil) {
        self.kind = kind
        self.outcome = outcome
        self.message = message
        self.remedy = remedy
    }

    /// Message and remedy.
    public var description: String { remedy.map { "\(message) \($0)" } ?? message }
}

/// What came of asking an address what it is.
public struct ProbeReport: Sendable {
    /// Every step, in order.
    public internal(set) var steps: [ProbeStep] = []
    /// The server, when it answered as one that is known.
    public internal(set) var server: Server?
    /// Why there is no server.
    public internal(set) var failure: LatchError?
    /// The certificate that the server presented, when it is the reason: to be shown, compared and perhaps pinned.
    public internal(set) var presentedCertificate: PresentedCertificate?

    /// The server.
    ///
    /// - Throws: ``failure``.
    public func requireServer() throws(LatchError) -> Server {
        if let server { return server }
        throw failure ?? LatchError(.notAKnownServer, "The server was not asked.")
    }
}
