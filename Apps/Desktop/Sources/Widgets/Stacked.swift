import CAdwaita

/// Elements above each other, or beside each other.
@MainActor
package struct Stacked: Element {
    package let widget: Widget

    /// Makes a column.
    ///
    /// - Parameters:
    ///   - spacing: The distance between two elements in pixels.
    ///   - elements: The elements, from the first to the last.
    /// - Returns: The container.
    package static func column(spacing: Int32 = 18, _ elements: (any Element)...) -> Stacked {
        Stacked(GTK_ORIENTATION_VERTICAL, spacing, elements)
    }

    /// Makes a row.
    ///
    /// - Parameters:
    ///   - spacing: The distance between two elements in pixels.
    ///   - elements: The elements, from the first to the last.
    /// - Returns: The container.
    package static func row(spacing: Int32 = 12, _ elements: (any Element)...) -> Stacked {
        Stacked(GTK_ORIENTATION_HORIZONTAL, spacing, elements)
    }

    private init(_ orientation: GtkOrientation, _ spacing: Int32, _ elements: [any Element]) {
        widget = gtk_box_new(orientation, spacing)
        for element in elements { append(element) }
    }

    /// Moves the elements to the middle of the space, and gives them the same size.
    package func centered() -> Self {
        gtk_box_set_homogeneous(widget.cast(), 1)
        return aligned(horizontally: GTK_ALIGN_CENTER)
    }

    /// Adds an element at the end.
    package func append(_ element: any Element) { gtk_box_append(widget.cast(), element.widget) }

    /// Removes all elements.
    package func removeAll() {
        while let child = gtk_widget_get_first_child(widget) { gtk_box_remove(widget.cast(), child) }
    }
}
