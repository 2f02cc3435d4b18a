import CAdwaita

/// A scrolling list or grid that makes widgets only for the visible items, and uses them again for others.
@MainActor
package struct ItemList<Cell: AnyObject>: Element {
    package let widget: Widget
    /// The list or grid inside of the scrolled area.
    package let view: Widget
    /// The items. Set its `count`.
    package let items: IndexModel

    /// How the items are arranged.
    package enum Arrangement {
        /// One item a line.
        case rows
        /// As many columns as fit, between these numbers.
        case grid(columns: ClosedRange<Int>)
    }

    /// Makes a list without items.
    ///
    /// - Parameters:
    ///   - name: The accessible name of the list.
    ///   - arrangement: How the items are arranged.
    ///   - make: Makes the widget for an item, and the object that its widget keeps. Called for about as many items as are
    ///     visible.
    ///   - show: Shows the item with an index in a widget made before.
    ///   - activated: Called when a person activates the item with an index.
    package init(
        _ name: String, _ arrangement: Arrangement = .rows,
        make: @escaping @MainActor () -> (Cell, any Element), show: @escaping @MainActor (Cell, Int) -> Void,
        activated: (@MainActor (Int) -> Void)? = nil
    ) {
        items = IndexModel()
        let factory = Self.factory(make, show)
        let selection = gtk_no_selection_new(items.model)
        switch arrangement {
        case .rows:
            view = gtk_list_view_new(selection, factory)
            gtk_list_view_set_single_click_activate(view.opaque, 1)
        case .grid(let columns):
            view = gtk_grid_view_new(selection, factory)
            gtk_grid_view_set_min_columns(view.opaque, guint(columns.lowerBound))
            gtk_grid_view_set_max_columns(view.opaque, guint(columns.upperBound))
            gtk_grid_view_set_single_click_activate(view.opaque, 1)
        }
        view.named(name)
        if let activated { Self.connectActivation(of: view, activated) }
        widget = gtk_scrolled_window_new()
        gtk_scrolled_window_set_policy(widget.opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        gtk_scrolled_window_set_child(widget.opaque, view)
        expanded(horizontally: true, vertically: true)
    }

    private static func factory(
        _ make: @escaping @MainActor () -> (Cell, any Element), _ show: @escaping @MainActor (Cell, Int) -> Void
    ) -> OpaquePointer? {
        let factory = gtk_signal_list_item_factory_new()!
        Signals.connect(UnsafeMutableRawPointer(factory), withArgument: "setup") { item in
            let (cell, element) = make()
            element.keep(cell)
            gtk_list_item_set_child(OpaquePointer(item), element.widget)
        }
        Signals.connect(UnsafeMutableRawPointer(factory), withArgument: "bind") { item in
            let item = OpaquePointer(item)
            guard let child = gtk_list_item_get_child(item), let cell = child.kept(as: Cell.self) else { return }
            show(cell, Int(gtk_list_item_get_position(item)))
        }
        return factory
    }

    /// Scrolls so that the item with an index is visible.
    package func scroll(to index: Int) {
        gtk_widget_activate_action_variant(view, "list.scroll-to-item", g_variant_new_uint32(guint32(index)))
    }

    private static func connectActivation(of view: Widget, _ activated: @escaping @MainActor (Int) -> Void) {
        // The argument is the position itself, not a pointer.
        Signals.connect(view, withArgument: "activate") {
            activated(Int(guint(truncatingIfNeeded: Int(bitPattern: $0))))
        }
    }
}
