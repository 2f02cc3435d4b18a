import LatchScreens
import Widgets

/// The error of a page, which is marked at the field to correct. A new error moves the focus to this field.
@MainActor
final class FieldErrors<Field: Hashable> {
    /// The sentence of an error that has no place of its own.
    let label = ErrorLabel()
    private let rows: [Field: TextRow]
    private var places: [Field: ErrorLabel] = [:]
    private var shown: ScreenError?

    /// Makes an interface to the rows of the fields.
    init(_ rows: [Field: TextRow]) { self.rows = rows }

    /// Makes the place for the sentence of an error at some fields, on a page where ``label`` is far from them.
    func place(for fields: Field...) -> ErrorLabel {
        let place = ErrorLabel()
        for field in fields { places[field] = place }
        return place
    }

    /// Shows an error, or none.
    func show(_ error: ScreenError?, at field: Field?) {
        let place = field.flatMap { places[$0] } ?? label
        for each in [label] + places.values { each.text = each.widget == place.widget ? error?.message : nil }
        for (each, row) in rows { row.mark(isWrong: error != nil && each == field) }
        guard error != shown else { return }
        shown = error
        if error != nil, let field { rows[field]?.focus() }
    }
}

extension TextRow {
    /// Makes a row for a password, a PIN or another secret.
    static func secret(_ title: String) -> TextRow { .password(title, reveal: CommonText.reveal(title)) }
}
