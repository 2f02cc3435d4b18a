import CAdwaita

/// An element with others above it.
@MainActor
package struct Overlay: Element {
    package let widget: Widget

    /// Makes a container around an element.
    package init(_ element: any Element) {
        widget = gtk_overlay_new()
        gtk_overlay_set_child(widget.opaque, element.widget)
    }

    /// Adds an element above the others.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - horizontal: Its position between left and right.
    ///   - vertical: Its position between top and bottom.
    /// - Returns: The container.
    @discardableResult
    package func add(_ element: any Element, _ horizontal: Side, _ vertical: Side) -> Self {
        gtk_widget_set_halign(element.widget, horizontal.align)
        gtk_widget_set_valign(element.widget, vertical.align)
        gtk_overlay_add_overlay(widget.opaque, element.widget)
        return self
    }

    /// Gives the container the size of its element, in the middle of the space.
    package func centered() -> Self {
        aligned(horizontally: GTK_ALIGN_CENTER, vertically: GTK_ALIGN_CENTER)
    }

    /// A position in one direction.
    package enum Side {
        /// At the left or top.
        case start
        /// In the middle.
        case middle
        /// At the right or bottom.
        case end

        fileprivate var align: GtkAlign {
            switch self {
            case .start: GTK_ALIGN_START
            case .middle: GTK_ALIGN_CENTER
            case .end: GTK_ALIGN_END
            }
        }
    }
}
