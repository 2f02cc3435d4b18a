import CAdwaita

/// A bar that shows how much of something is done.
@MainActor
package struct ProgressBar: Element {
    package let widget: Widget

    /// Makes a bar.
    ///
    /// - Parameter name: The accessible name: what makes progress.
    package init(_ name: String) {
        widget = gtk_progress_bar_new()
        named(name)
    }

    /// The share that is done, from 0 to 1.
    package var fraction: Double {
        get { gtk_progress_bar_get_fraction(widget.opaque) }
        nonmutating set { gtk_progress_bar_set_fraction(widget.opaque, newValue) }
    }
}
