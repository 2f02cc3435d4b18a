/// A table with aligned columns, two spaces apart, without trailing spaces.
package struct Table: Sendable {
    private var rows: [[String]]

    /// Creates a table with a header row.
    package init(_ titles: [String]) {
        rows = [titles]
    }

    /// Adds a row.
    package mutating func add(_ cells: [String]) {
        rows.append(cells)
    }

    /// Returns the lines of the table. `heading` formats the header row.
    package func lines(heading: (String) -> String) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.enumerated().map { index, row in
            let cells = row.enumerated().map { column, cell in
                column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
            }
            let line = cells.joined(separator: "  ")
            return index == 0 ? heading(line) : line
        }
    }
}
