/// A place in a file, both numbers counted from 1, the column in characters.
public struct YAMLMark: Sendable, Hashable, CustomStringConvertible {
    /// The line.
    public let line: Int
    /// The character in the line.
    public let column: Int

    /// Makes a mark.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The first character of a file.
    public static let start = YAMLMark(line: 1, column: 1)

    /// `line 3, column 7`.
    public var description: String { "line \(line), column \(column)" }
}
