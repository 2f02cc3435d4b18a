package import CAdwaita

/// A text that wraps, also inside of long words.
@MainActor
package struct Label: Element {
    package let widget: Widget

    /// Makes a label.
    ///
    /// - Parameters:
    ///   - text: The text, without markup.
    ///   - role: The accessible role.
    package init(_ text: String = "", role: GtkAccessibleRole = GTK_ACCESSIBLE_ROLE_LABEL) {
        widget = latch_label_new(role)
        gtk_label_set_wrap(widget.opaque, 1)
        gtk_label_set_wrap_mode(widget.opaque, PANGO_WRAP_WORD_CHAR)
        gtk_label_set_justify(widget.opaque, GTK_JUSTIFY_CENTER)
        self.text = text
    }

    /// The text, without markup.
    package var text: String {
        get { String(cString: gtk_label_get_text(widget.opaque)) }
        nonmutating set { gtk_label_set_text(widget.opaque, newValue) }
    }

    /// Makes a short, dimmed text beside a title, which does not wrap.
    package static func note(_ text: String) -> Label {
        let label = Label(text).styled("dim-label")
        gtk_label_set_wrap(label.widget.opaque, 0)
        return label
    }

    /// Makes the heading of a page.
    package static func heading(_ text: String) -> Label {
        Label(text, role: GTK_ACCESSIBLE_ROLE_HEADING).styled("title-1")
    }
}
