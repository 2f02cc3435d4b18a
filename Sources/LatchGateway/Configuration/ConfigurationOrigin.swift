/// Where a word of the configuration was said.
public enum ConfigurationOrigin: Sendable, Hashable, CustomStringConvertible {
    /// In a file, at a line counted from 1.
    case file(String, line: Int)
    /// In an environment variable.
    case variable(String)
    /// In the program itself: nobody said anything.
    case standard

    /// `/etc/latchd/latchd.yaml, line 3`, or `environment variable LATCHD_LISTEN`.
    public var description: String {
        switch self {
        case .file(let path, let line): "\(path), line \(line)"
        case .variable(let name): "environment variable \(name)"
        case .standard: "default"
        }
    }
}
