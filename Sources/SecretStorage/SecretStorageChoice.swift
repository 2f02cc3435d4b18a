/// The store that a person requested.
public enum SecretStorageChoice: String, Sendable, CaseIterable {
    /// The Secret Service if it responds, otherwise the sealed file.
    case automatic
    /// Only the Secret Service.
    case service
    /// Only the sealed file.
    case file
}

/// The kind of store in use. Callers store it between runs.
package enum SecretStorageKind: String, Sendable, CaseIterable {
    /// The Secret Service.
    case service
    /// The sealed file.
    case file
}
