import CAdwaita

/// Elements beside each other, in as many lines as the width needs.
@MainActor
package struct FlowBox: Element {
    package let widget: Widget

    /// Makes a container without elements.
    package init() {
        widget = gtk_flow_box_new()
        gtk_flow_box_set_selection_mode(widget.opaque, GTK_SELECTION_NONE)
        // The height of the window allows for the lines of its smallest width.
        gtk_flow_box_set_min_children_per_line(widget.opaque, 2)
        gtk_flow_box_set_max_children_per_line(widget.opaque, 6)
        gtk_flow_box_set_column_spacing(widget.opaque, 6)
        gtk_flow_box_set_row_spacing(widget.opaque, 6)
        gtk_flow_box_set_homogeneous(widget.opaque, 1)
        gtk_widget_set_valign(widget, GTK_ALIGN_START)
    }

    /// Adds an element at the end. The space of an invisible one is not used.
    package func append(_ element: any Element) {
        let child: Widget = gtk_flow_box_child_new()
        gtk_widget_set_focusable(child, 0)
        gtk_flow_box_child_set_child(child.cast(), element.widget)
        gtk_flow_box_insert(widget.opaque, child, -1)
        let widget = element.widget
        element.on(property: "visible") { child.isVisible = widget.isVisible }
    }
}
