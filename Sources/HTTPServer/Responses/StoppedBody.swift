/// The error of a producer whose body was stopped by the check of ``ResponseBody/checked(_:)``.
struct StoppedBody: Error {
    /// The error of the check.
    let reason: any Error
}
