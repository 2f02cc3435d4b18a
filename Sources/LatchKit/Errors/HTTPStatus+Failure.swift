import HTTPMessages

extension HTTPStatus {
    /// What a server with this status of class 5xx does, after its name in a sentence.
    var failureDescription: String {
        self == .serviceUnavailable
            ? "is not available at the moment (status \(self))" : "has an internal error (status \(self))"
    }
}
