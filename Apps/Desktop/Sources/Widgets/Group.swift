import CAdwaita

/// Rows in a frame, with an optional title above them.
@MainActor
package struct Group: Element {
    package let widget: Widget

    /// Makes a group.
    package init(_ title: String? = nil, description: String? = nil, _ rows: [any Element] = []) {
        widget = adw_preferences_group_new()
        if let title { adw_preferences_group_set_title(widget.cast(), markup(title)) }
        describe(description)
        for row in rows { append(row) }
    }

    /// Sets the sentence between the title and the rows. Nil removes it.
    package func describe(_ text: String?) {
        adw_preferences_group_set_description(widget.cast(), text.map(markup))
    }

    /// Adds a row at the end.
    package func append(_ row: any Element) { adw_preferences_group_add(widget.cast(), row.widget) }

    /// Removes a row of the group.
    package func remove(_ row: any Element) { adw_preferences_group_remove(widget.cast(), row.widget) }
}
