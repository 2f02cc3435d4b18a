import HTTPMessages

/// A table that becomes a card for each row on a phone. The roles are explicit, because browsers drop the implicit ones
/// when CSS changes the layout of a table.
///
/// Source: WAI-ARIA 1.2 §5.3.3; WCAG 2.2, success criteria 1.3.1 and 1.4.10.
struct PageTable {
    let caption: String
    let columns: [String]
    let rows: [[HTML]]

    /// The name of the column with buttons. It is visible only to screen readers, because the buttons have labels.
    static let actions = "Actions"

    var html: HTML {
        let heads: [HTML] = columns.map { column in
            let label: HTML = column == Self.actions ? "<span class=\"hidden\">\(column)</span>" : "\(column)"
            return "<th role=\"columnheader\" scope=\"col\">\(label)</th>"
        }
        return """
            <div class="table">
            <table role="table">
            <caption>\(caption)</caption>
            <thead role="rowgroup"><tr role="row">\(heads)</tr></thead>
            <tbody role="rowgroup">
            \(rows.map(row))
            </tbody>
            </table>
            </div>
            """
    }

    private func row(_ cells: [HTML]) -> HTML {
        let cells: [HTML] = zip(columns, cells).map { column, cell in
            column == Self.actions
                ? "<td role=\"cell\" class=\"act\"><div>\(cell)</div></td>"
                : "<td role=\"cell\" data-label=\"\(column)\"><div>\(cell)</div></td>"
        }
        return "<tr role=\"row\">\(cells)</tr>"
    }
}
