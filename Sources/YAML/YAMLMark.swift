/// A position in a file. Lines and columns are counted from 1, columns in characters.
package struct YAMLMark: Sendable, Hashable, CustomStringConvertible {
    /// The line number.
    package let line: Int
    /// The position of the character in the line.
    package let column: Int

    /// Creates a mark.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The position of the first character of a file.
    package static let start = YAMLMark(line: 1, column: 1)

    /// The position as text, such as `line 3, column 7`.
    package var description: String { "line \(line), column \(column)" }
}
