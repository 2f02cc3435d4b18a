import CAdwaita

/// An indicator of work of unknown duration. It turns only while it is visible.
@MainActor
package struct Spinner: Element {
    package let widget: Widget

    /// Makes an indicator that is hidden.
    ///
    /// - Parameter name: The accessible name: what is going on.
    package init(_ name: String) {
        widget = gtk_spinner_new()
        named(name)
        isSpinning = false
    }

    /// Whether the indicator is visible and turns.
    package var isSpinning: Bool {
        get { gtk_spinner_get_spinning(widget.opaque) != 0 }
        nonmutating set {
            gtk_spinner_set_spinning(widget.opaque, newValue.gboolean)
            isVisible = newValue
        }
    }
}
