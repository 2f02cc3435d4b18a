import CAdwaita

/// A line that shows or hides an element below it.
@MainActor
package struct Expander: Element {
    package let widget: Widget

    /// Makes a line with the element hidden.
    package init(_ title: String, _ element: any Element) {
        widget = gtk_expander_new(title)
        named(title)
        gtk_expander_set_child(widget.opaque, element.widget)
    }
}
