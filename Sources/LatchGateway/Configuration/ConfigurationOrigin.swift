/// Where a word of the configuration was said.
public enum ConfigurationOrigin: Sendable, Hashable, CustomStringConvertible {
    /// In a file, at a line counted from 1.
    case file(String, line: Int)
    /// In an environment variable.
    case variable(String)
    /// In the program itself: nobody said anything.
    case defaultValue

    /// `/etc/latchd/latchd.yaml, line 3`, or `environment variable LATCHD_LISTEN`.
    public var description: String {
        switch self {
        case .file(let path, let line): "\(path), line \(line)"
        case .variable(let name): "environment variable \(name)"
        case .defaultValue: "default"
        }
    }

    /// Whether it comes before another: lines of the file in their order, then the environment.
    func precedes(_ other: ConfigurationOrigin) -> Bool {
        switch (self, other) {
        case (.file(_, let one), .file(_, let two)): one < two
        case (.file, _): true
        case (.variable(let one), .variable(let two)): one < two
        case (.variable, .defaultValue): true
        default: false
        }
    }
}
