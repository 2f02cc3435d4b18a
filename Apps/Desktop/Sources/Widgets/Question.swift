import CAdwaita

/// A dialog that asks a person before something happens.
@MainActor
package enum Question {
    /// Shows the dialog above the window of an element.
    ///
    /// - Parameters:
    ///   - heading: The question.
    ///   - body: What happens then.
    ///   - action: The text of the button that agrees.
    ///   - cancel: The text of the button that does not. Escape has the same effect.
    ///   - isDestructive: Whether the action cannot be undone.
    ///   - element: An element of the page that asks. The dialog is closed when the page is left.
    ///   - answered: Called once, with whether the person agrees.
    package static func ask(
        _ heading: String, _ body: String, action: String, cancel: String, isDestructive: Bool = false,
        above element: any Element,
        _ answered: @escaping @MainActor (_ agrees: Bool) -> Void
    ) {
        let parent = gtk_widget_get_root(element.widget)
        guard let dialog = adw_message_dialog_new(parent?.cast(), heading, body) else { return }
        let message: UnsafeMutablePointer<AdwMessageDialog> = dialog.cast()
        adw_message_dialog_add_response(message, "cancel", cancel)
        adw_message_dialog_add_response(message, "agree", action)
        adw_message_dialog_set_response_appearance(
            message, "agree", isDestructive ? ADW_RESPONSE_DESTRUCTIVE : ADW_RESPONSE_SUGGESTED)
        adw_message_dialog_set_default_response(message, isDestructive ? "cancel" : "agree")
        adw_message_dialog_set_close_response(message, "cancel")
        // In a narrow window the dialog has other buttons, the agreeing one first.
        dialog.on(property: "default-widget") {
            gtk_window_set_focus(dialog.cast(), gtk_window_get_default_widget(dialog.cast()))
        }
        var isOpen = true
        Signals.connect(dialog, withArgument: "response") { response in
            isOpen = false
            answered(response.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } == "agree")
        }
        // The question ends with its page, for example when the device is locked.
        element.onEnd { if isOpen { gtk_window_close(dialog.cast()) } }
        gtk_window_present(dialog.cast())
    }
}
