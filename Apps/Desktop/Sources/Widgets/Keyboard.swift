import CAdwaita

/// The state of the keyboard.
@MainActor
package enum Keyboard {
    /// Whether a person holds the Shift key now.
    package static var isShiftPressed: Bool {
        guard let display = gdk_display_get_default(), let seat = gdk_display_get_default_seat(display),
            let keyboard = gdk_seat_get_keyboard(seat)
        else { return false }
        return gdk_device_get_modifier_state(keyboard).rawValue & GDK_SHIFT_MASK.rawValue != 0
    }
}
