/// The position of a value in the configuration.
enum ConfigurationOrigin: Sendable, Hashable, CustomStringConvertible {
    /// A line of a file, counted from 1.
    case file(String, line: Int)
    /// An environment variable.
    case variable(String)
    /// The default of the program: neither a file nor a variable has the value.
    case defaultValue

    /// The position for messages: `/etc/latchd/latchd.yaml, line 3`, or `environment variable LATCHD_LISTEN`.
    var description: String {
        switch self {
        case .file(let path, let line): "\(path), line \(line)"
        case .variable(let name): "environment variable \(name)"
        case .defaultValue: "default"
        }
    }

    /// Whether this position is sorted before another one. The lines of the file come first, then the environment.
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
