public import LatchKit

/// A failure as a screen shows it: one or two sentences for the person.
public struct ScreenError: Error, Sendable, Equatable {
    /// The kind of failure.
    public let code: LatchError.Code
    /// What happened, to what, and what to do. Never contains a secret.
    public let message: String
    /// What a person can do, for a button. Nil when only ``message`` says it.
    public let remedy: Remedy?

    /// Makes the error of a screen from an error of the library.
    public init(_ error: any Error) {
        let error = LatchError(any: error)
        self.init(error.code, error.message, remedy: error.remedy)
    }

    /// Whether the certificate of a server is the problem, which a new sign-in asks about.
    public var isAboutCertificate: Bool { code.isAboutCertificate }

    init(_ code: LatchError.Code, _ message: String, remedy: Remedy? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
    }
}

extension LatchError.Code {
    /// Whether the certificate of a server is the problem.
    var isAboutCertificate: Bool { rawValue.hasPrefix("certificate_") }
}
