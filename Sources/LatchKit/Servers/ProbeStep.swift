import HTTPClient

/// One step of finding and trusting a server, with texts that can be printed as they are.
package struct ProbeStep: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of steps.
    package enum Kind: String, Sendable, CaseIterable {
        /// The check of the address itself.
        case address
        /// The resolution of the host name.
        case name
        /// The connection to the host.
        case connection
        /// The verification of the server's certificate.
        case trust
        /// The identification of the server's dialect.
        case dialect
    }

    /// The outcomes of a step.
    package enum Outcome: String, Sendable {
        /// The step succeeded.
        case passed
        /// The step succeeded with a warning for the person.
        case warned
        /// The step failed.
        case failed
        /// The step was not reached.
        case skipped
    }

    /// The kind of step.
    package let kind: Kind
    /// The outcome of the step.
    package let outcome: Outcome
    /// The result of the step, in one sentence.
    package let message: String
    /// What the person can do about the result. Nil when nothing needs to be done.
    package let remedy: String?

    /// Makes a step.
    package init(kind: Kind, outcome: Outcome, message: String, remedy: String? = nil) {
        self.kind = kind
        self.outcome = outcome
        self.message = message
        self.remedy = remedy
    }

    /// The message, followed by the remedy if there is one.
    package var description: String { remedy.map { "\(message) \($0)" } ?? message }
}

/// The result of probing an address.
public struct ProbeReport: Sendable {
    /// Every step of the run, in order.
    package internal(set) var steps: [ProbeStep] = []
    /// The server. Nil when no dialect recognized one.
    public internal(set) var server: Server?
    /// Why no server was found. Nil when one was found.
    public internal(set) var failure: LatchError?
    /// The certificate that the server presented, if it caused the failure. The person can compare it and pin it.
    public internal(set) var presentedCertificate: PresentedCertificate?

    /// Returns the server.
    ///
    /// - Throws: ``failure``.
    public func requireServer() throws(LatchError) -> Server {
        if let server { return server }
        throw failure ?? LatchError(.unsupportedServer, "The server was not contacted.")
    }
}
