import CAdwaita

/// A row with a title and a smaller line below it, and optional elements before and after them.
@MainActor
package struct ActionRow: Element {
    package let widget: Widget

    /// Makes a row.
    package init(_ title: String, subtitle: String? = nil) {
        widget = adw_action_row_new()
        adw_preferences_row_set_use_markup(widget.cast(), 0)
        adw_preferences_row_set_title(widget.cast(), title)
        self.subtitle = subtitle
    }

    /// The title.
    package var title: String {
        get { String(cString: adw_preferences_row_get_title(widget.cast())) }
        nonmutating set { adw_preferences_row_set_title(widget.cast(), newValue) }
    }

    /// The line below the title.
    package var subtitle: String? {
        get { adw_action_row_get_subtitle(widget.cast()).map { String(cString: $0) } }
        nonmutating set { adw_action_row_set_subtitle(widget.cast(), newValue) }
    }

    /// Adds an element before the title.
    @discardableResult
    package func prefix(_ element: any Element) -> Self {
        adw_action_row_add_prefix(widget.cast(), element.widget)
        return self
    }

    /// Adds an element after the title.
    @discardableResult
    package func suffix(_ element: any Element) -> Self {
        gtk_widget_set_valign(element.widget, GTK_ALIGN_CENTER)
        adw_action_row_add_suffix(widget.cast(), element.widget)
        return self
    }

    /// Adds an element below the title and the other elements, as wide as the row.
    @discardableResult
    package func footer(_ element: any Element) -> Self {
        guard let header = gtk_list_box_row_get_child(widget.cast()) else { return self }
        // The row was the owner.
        g_object_ref(UnsafeMutableRawPointer(header))
        gtk_list_box_row_set_child(widget.cast(), nil)
        // libadwaita's style gives these margins only to a child of the row.
        header.margins(horizontal: 12, vertical: 6)
        gtk_list_box_row_set_child(widget.cast(), Stacked.column(spacing: 0, header, element).widget)
        g_object_unref(UnsafeMutableRawPointer(header))
        return self
    }

    /// Makes the row open another page. It gets a button with an arrow, which assistive technology can press; a click on
    /// the row has the same effect.
    @discardableResult
    package func opening(_ run: @escaping @MainActor () -> Void) -> Self {
        // The row names the button.
        let button: Widget = gtk_button_new_from_icon_name("go-next-symbolic")
        button.styled("flat").on("clicked", run)
        suffix(button)
        adw_action_row_set_activatable_widget(widget.cast(), button)
        return self
    }
}
