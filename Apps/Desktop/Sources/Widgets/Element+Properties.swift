package import CAdwaita

@MainActor
extension Element {
    /// Whether the widget takes part in the layout. Default: true.
    package var isVisible: Bool {
        get { gtk_widget_get_visible(widget) != 0 }
        nonmutating set { gtk_widget_set_visible(widget, newValue.gboolean) }
    }

    /// Whether a person can use the widget. Default: true.
    package var isSensitive: Bool {
        get { gtk_widget_get_sensitive(widget) != 0 }
        nonmutating set { gtk_widget_set_sensitive(widget, newValue.gboolean) }
    }

    /// Adds style classes of libadwaita, such as `title-2`, `dim-label` or `pill`.
    @discardableResult
    package func styled(_ classes: String...) -> Self {
        for name in classes { gtk_widget_add_css_class(widget, name) }
        return self
    }

    /// Adds or removes a style class.
    package func set(class name: String, _ isSet: Bool) {
        if isSet { gtk_widget_add_css_class(widget, name) } else { gtk_widget_remove_css_class(widget, name) }
    }

    /// Sets the accessible name, which screen readers announce and tests use. Needed where the widget has no text.
    @discardableResult
    package func named(_ name: String) -> Self {
        setAccessible(GTK_ACCESSIBLE_PROPERTY_LABEL, name)
        return self
    }

    /// Sets a longer description that screen readers announce after the name.
    @discardableResult
    package func described(_ text: String) -> Self {
        setAccessible(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text)
        return self
    }

    /// Sets the text that appears when the pointer rests on the widget.
    @discardableResult
    package func tooltip(_ text: String) -> Self {
        gtk_widget_set_tooltip_text(widget, text)
        return self
    }

    /// Lets the widget take the free space of its container.
    @discardableResult
    package func expanded(horizontally: Bool = false, vertically: Bool = false) -> Self {
        if horizontally { gtk_widget_set_hexpand(widget, 1) }
        if vertically { gtk_widget_set_vexpand(widget, 1) }
        return self
    }

    /// Sets the position of the widget in the space that it gets. Nil keeps a direction as it is.
    @discardableResult
    package func aligned(horizontally: GtkAlign? = nil, vertically: GtkAlign? = nil) -> Self {
        if let horizontally { gtk_widget_set_halign(widget, horizontally) }
        if let vertically { gtk_widget_set_valign(widget, vertically) }
        return self
    }

    /// Sets the margins at the left and right, and at the top and bottom, in pixels.
    @discardableResult
    package func margins(horizontal: Int32 = 0, vertical: Int32 = 0) -> Self {
        gtk_widget_set_margin_start(widget, horizontal)
        gtk_widget_set_margin_end(widget, horizontal)
        gtk_widget_set_margin_top(widget, vertical)
        gtk_widget_set_margin_bottom(widget, vertical)
        return self
    }

    /// Copies a text to the clipboard.
    package func copyToClipboard(_ text: String) {
        gdk_clipboard_set_text(gtk_widget_get_clipboard(widget), text)
    }

    /// Moves the keyboard focus to the widget.
    package func focus() { gtk_widget_grab_focus(widget) }

    private func setAccessible(_ property: GtkAccessibleProperty, _ text: String) {
        var properties = [property]
        var value = GValue()
        g_value_init(&value, GType(16 << 2))  // G_TYPE_STRING, a macro in C.
        g_value_set_string(&value, text)
        gtk_accessible_update_property_value(widget.opaque, 1, &properties, &value)
        g_value_unset(&value)
    }
}
