package import CAdwaita

/// A row with a title, for one line of text that a person edits.
@MainActor
package struct TextRow: Element {
    package let widget: Widget

    /// Makes a row.
    ///
    /// - Parameters:
    ///   - title: The title, which is also the accessible name.
    ///   - purpose: What kind of text is expected. On-screen keyboards adapt to it.
    package init(_ title: String, purpose: GtkInputPurpose = GTK_INPUT_PURPOSE_FREE_FORM) {
        self.init(adw_entry_row_new(), title)
        adw_entry_row_set_input_purpose(widget.cast(), purpose)
        if purpose != GTK_INPUT_PURPOSE_FREE_FORM {
            adw_entry_row_set_input_hints(widget.cast(), GTK_INPUT_HINT_NO_SPELLCHECK)
        }
    }

    /// Makes a row whose text is masked.
    ///
    /// - Parameters:
    ///   - title: The title, which is also the accessible name.
    ///   - reveal: The accessible name of the button that shows the text.
    /// - Returns: The row.
    package static func password(_ title: String, reveal: String) -> TextRow {
        let row = TextRow(adw_password_entry_row_new(), title)
        // libadwaita 1.2 gives the button no name. The button before it is that of `onApply`.
        row.buttons.last?.named(reveal)
        return row
    }

    private init(_ widget: Widget, _ title: String) {
        self.widget = widget
        adw_preferences_row_set_use_markup(widget.cast(), 0)
        adw_preferences_row_set_title(widget.cast(), title)
    }

    /// The text. An equal value changes nothing, so that the caret stays where it is.
    package var text: String {
        get { String(cString: gtk_editable_get_text(widget.opaque)) }
        nonmutating set {
            if newValue != text { gtk_editable_set_text(widget.opaque, newValue) }
        }
    }

    /// Sets an example of a text, which is shown in the empty row while it has the focus, and which screen readers
    /// announce. Without the focus, the title is in its place.
    @discardableResult
    package func example(_ text: String) -> Self {
        _ = Self.style
        if let field = widget.descendants(ofType: gtk_text_get_type()).first {
            field.on(property: "has-focus") {
                gtk_text_set_placeholder_text(field.cast(), gtk_widget_has_focus(field) != 0 ? text : nil)
            }
        }
        return described(text)
    }

    /// The style of examples: in the line of the text, which the row has below its small title, and dimmed.
    private static let style: Void = {
        let provider = gtk_css_provider_new()
        gtk_css_provider_load_from_data(
            provider, "row.entry text > placeholder { padding-top: 0.6em; opacity: 0.55; }", -1)
        gtk_style_context_add_provider_for_display(
            gdk_display_get_default(), provider?.opaque, guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
        g_object_unref(provider)
    }()

    /// Marks the text as wrong, for the eye and for screen readers, or not.
    package func mark(isWrong: Bool) {
        set(class: "error", isWrong)
        var states = [GTK_ACCESSIBLE_STATE_INVALID]
        var value = GValue()
        g_value_init(&value, GType(6 << 2))  // G_TYPE_INT, a macro in C.
        let invalid = isWrong ? GTK_ACCESSIBLE_INVALID_TRUE : GTK_ACCESSIBLE_INVALID_FALSE
        g_value_set_int(&value, gint(bitPattern: invalid.rawValue))
        gtk_accessible_update_state_value(widget.opaque, 1, &states, &value)
        g_value_unset(&value)
    }

    /// Runs a closure with the text after every edit.
    @discardableResult
    package func onEdit(_ run: @escaping @MainActor (String) -> Void) -> Self {
        let row = self
        return on("changed") { run(row.text) }
    }

    /// Runs a closure when a person presses Return in the row.
    @discardableResult
    package func onReturn(_ run: @escaping @MainActor () -> Void) -> Self { on("entry-activated", run) }

    /// Shows a button after an edit, and runs a closure with the text when a person presses it, or Return.
    ///
    /// - Parameters:
    ///   - name: The accessible name of the button.
    ///   - run: The closure.
    /// - Returns: The row.
    @discardableResult
    package func onApply(_ name: String, _ run: @escaping @MainActor (String) -> Void) -> Self {
        adw_entry_row_set_show_apply_button(widget.cast(), 1)
        buttons.first?.named(name)
        let row = self
        return on("apply") { run(row.text) }
    }

    private var buttons: [Widget] { widget.descendants(ofType: gtk_button_get_type()) }

    /// Adds an element after the text.
    @discardableResult
    package func suffix(_ element: any Element) -> Self {
        gtk_widget_set_valign(element.widget, GTK_ALIGN_CENTER)
        adw_entry_row_add_suffix(widget.cast(), element.widget)
        return self
    }
}
