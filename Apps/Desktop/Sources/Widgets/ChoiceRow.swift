import CAdwaita

/// A row with a title and one of several values.
@MainActor
package final class ChoiceRow: Element {
    package let widget: Widget
    private var values: [String] = []
    private var isShowing = false

    /// Makes a row without values. Its widget keeps it.
    ///
    /// - Parameters:
    ///   - title: The title.
    ///   - change: Called with the index of the value after a person has chosen another one.
    package init(_ title: String, _ change: @escaping @MainActor (Int) -> Void) {
        widget = adw_combo_row_new()
        adw_preferences_row_set_use_markup(widget.cast(), 0)
        adw_preferences_row_set_title(widget.cast(), title)
        keep(self)
        on(property: "selected") { [unowned self] in
            let index = adw_combo_row_get_selected(widget.cast())
            if !isShowing, index != GTK_INVALID_LIST_POSITION { change(Int(index)) }
        }
    }

    /// Shows the values and the chosen one.
    package func show(_ new: [String], chosen: Int) {
        isShowing = true
        defer { isShowing = false }
        if new != values {
            values = new
            let list = gtk_string_list_new(nil)
            for value in new { gtk_string_list_append(list, value) }
            adw_combo_row_set_model(widget.cast(), list)
            g_object_unref(UnsafeMutableRawPointer(list))
        }
        if Int(adw_combo_row_get_selected(widget.cast())) != chosen {
            adw_combo_row_set_selected(widget.cast(), guint(chosen))
        }
    }
}
