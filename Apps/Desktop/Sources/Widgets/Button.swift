import CAdwaita

/// A push button with a text or an icon.
@MainActor
package struct Button: Element {
    package let widget: Widget

    /// Makes a button with a text.
    package init(_ title: String, _ action: @escaping @MainActor () -> Void) {
        widget = gtk_button_new_with_label(title)
        // A long text must not make the page wider than a phone.
        if let label = gtk_button_get_child(widget.cast()) {
            gtk_label_set_wrap(label.opaque, 1)
            gtk_label_set_justify(label.opaque, GTK_JUSTIFY_CENTER)
        }
        on("clicked", action)
    }

    /// Makes a button with an icon.
    ///
    /// - Parameters:
    ///   - icon: The name of a symbolic icon of the theme.
    ///   - name: The accessible name, which is also the tooltip.
    ///   - action: What a click does.
    package init(icon: String, name: String, _ action: @escaping @MainActor () -> Void) {
        widget = gtk_button_new_from_icon_name(icon)
        named(name).tooltip(name).on("clicked", action)
    }

    /// Makes a button with an icon for a named action of the application or window.
    ///
    /// - Parameters:
    ///   - icon: The name of a symbolic icon of the theme.
    ///   - name: The accessible name, which is also the tooltip.
    ///   - action: The action, such as `win.back`. The button is insensitive while the action is disabled.
    package init(icon: String, name: String, action: String) {
        widget = gtk_button_new_from_icon_name(icon)
        gtk_actionable_set_action_name(widget.opaque, action)
        named(name).tooltip(name)
    }

    /// Makes the large button for the main action of a page.
    package static func suggested(_ title: String, _ action: @escaping @MainActor () -> Void) -> Button {
        Button(title, action).styled("suggested-action", "pill").aligned(horizontally: GTK_ALIGN_CENTER)
    }

    /// Makes a large button for another action of a page.
    package static func pill(_ title: String, _ action: @escaping @MainActor () -> Void) -> Button {
        Button(title, action).styled("pill").aligned(horizontally: GTK_ALIGN_CENTER)
    }

    /// Makes a button without a frame.
    package static func flat(_ title: String, _ action: @escaping @MainActor () -> Void) -> Button {
        Button(title, action).styled("flat").aligned(horizontally: GTK_ALIGN_CENTER)
    }

    /// Shortens a long text with an ellipsis where the window is too narrow. For texts from a server.
    package func shortened() -> Button {
        let label: Widget? = gtk_button_get_child(widget.cast())
        if let label { gtk_label_set_ellipsize(label.opaque, PANGO_ELLIPSIZE_END) }
        return self
    }

    /// The text.
    package var title: String {
        get { gtk_button_get_label(widget.cast()).map { String(cString: $0) } ?? "" }
        nonmutating set {
            if newValue != title { gtk_button_set_label(widget.cast(), newValue) }
        }
    }

    /// Runs a closure when a press begins, by pointer, keyboard or accessible action. The click comes with the release of
    /// the pointer, or 250 ms later, and what the button shows may have changed by then.
    package func onPress(_ begin: @escaping @MainActor () -> Void) {
        on("activate", begin)
        let gesture = gtk_gesture_click_new()!
        gtk_event_controller_set_propagation_phase(gesture, GTK_PHASE_CAPTURE)
        Signals.connect(UnsafeMutableRawPointer(gesture), withArgument: "begin") { _ in begin() }
        gtk_widget_add_controller(widget, gesture)
    }
}
