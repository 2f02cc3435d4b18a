/// Something an operator should know, given to `onLog`.
public struct ServerEvent: Sendable {
    /// How bad it is.
    public enum Level: Sendable, Hashable {
        /// For someone who looks closer.
        case debug
        /// Worth noting.
        case info
        /// Something was refused or cut short.
        case warning
        /// Something is broken.
        case error
    }

    /// How bad it is.
    public let level: Level
    /// A constant sentence.
    public let message: String
    /// What goes with it, by name.
    public let metadata: [String: String]
}
