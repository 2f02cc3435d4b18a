/// Which store a person asked for.
public enum SecretStorageChoice: String, Sendable, CaseIterable {
    /// The Secret Service where one answers, else the sealed file.
    case automatic
    /// The Secret Service and nothing else.
    case service
    /// The sealed file and nothing else.
    case file
}

/// Which store is used: what a caller remembers from run to run.
public enum SecretStorageKind: String, Sendable, CaseIterable {
    /// The Secret Service.
    case service
    /// The sealed file.
    case file
}
