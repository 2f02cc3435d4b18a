import CAdwaita

/// A row with a title and a switch.
@MainActor
package struct SwitchRow: Element {
    package let widget: Widget
    private let toggle: Widget

    /// Makes a row.
    ///
    /// - Parameters:
    ///   - title: The title, which is also the accessible name of the switch.
    ///   - subtitle: The line below the title.
    ///   - change: Called with the new value after a person or the program has changed it.
    package init(_ title: String, subtitle: String? = nil, _ change: @escaping @MainActor (Bool) -> Void) {
        let row = ActionRow(title, subtitle: subtitle)
        let toggle: Widget = gtk_switch_new()
        (widget, self.toggle) = (row.widget, toggle)
        toggle.on(property: "active") { change(gtk_switch_get_active(toggle.opaque) != 0) }
        row.suffix(toggle)
        // The title also becomes the name of the switch.
        adw_action_row_set_activatable_widget(widget.cast(), toggle)
    }

    /// Whether the switch is on.
    package var isOn: Bool {
        get { gtk_switch_get_active(toggle.opaque) != 0 }
        nonmutating set {
            if newValue != isOn { gtk_switch_set_active(toggle.opaque, newValue.gboolean) }
        }
    }
}
