extension LatchError {
    /// Whether a request can be repeated after this failure: it has no effect, or it was not sent.
    ///
    /// Source: RFC 9110 §9.2.1.
    func allowsRepeating(_ request: DialectRequest) -> Bool {
        [.get, .head, .options].contains(request.method) || Code.beforeSending.contains(code)
    }
}

extension LatchError.Code {
    /// The failures that happen before a request is sent.
    static let beforeSending: Set<Self> = [
        .nameNotFound, .connectionRefused, .unreachable, .certificateUnknownIssuer, .certificateSelfSigned,
        .certificateExpired, .certificateNotYetValid, .certificateWrongName, .certificatePinMismatch,
        .certificateUntrusted, .tlsFailed,
    ]
}
