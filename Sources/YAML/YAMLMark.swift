/// A position in a file. Lines and columns are counted from 1, columns in characters.
public struct YAMLMark: Sendable, Hashable, CustomStringConvertible {
    /// The line number.
    public let line: Int
    /// The position of the character in the line.
    public let column: Int

    /// Creates a mark.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The position of the first character of a file.
    public static let start = YAMLMark(line: 1, column: 1)

    /// The position as text, such as `line 3, column 7`.
    public var description: String { "line \(line), column \(column)" }
}
