import CAdwaita

/// A decoration from the icon theme, which screen readers skip.
@MainActor
package struct Icon: Element {
    package let widget: Widget

    /// Makes an icon.
    ///
    /// - Parameter name: The name of a symbolic icon of the theme.
    package init(_ name: String) {
        widget = latch_icon_new(name)
    }
}
