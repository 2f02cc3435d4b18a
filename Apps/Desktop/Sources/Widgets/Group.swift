import CAdwaita

/// Rows in a frame, with an optional title above them.
@MainActor
package struct Group: Element {
    package let widget: Widget

    /// Makes a group.
    package init(_ title: String? = nil, description: String? = nil, _ rows: [any Element] = []) {
        widget = adw_preferences_group_new()
        if let title { adw_preferences_group_set_title(widget.cast(), markup(title)) }
        describe(description)
        for row in rows { append(row) }
    }

    /// Makes a group of many rows. Those after the first ones are added a few at a time, so that the window responds
    /// meanwhile, as long as the group exists.
    ///
    /// - Parameters:
    ///   - description: The sentence above the rows. Nil for none.
    ///   - items: What the rows show.
    ///   - make: Makes a row.
    /// - Returns: The group.
    package static func long<Item>(
        description: String? = nil, _ items: some Collection<Item>, _ make: @escaping @MainActor (Item) -> any Element
    ) -> Group {
        let group = Group(nil, description: description, items.prefix(rowsAtOnce).map(make))
        let adding = Adding()
        group.keep(adding)
        var rest = Array(items.dropFirst(rowsAtOnce))[...]
        adding.task = Task { [weak adding] in
            while !rest.isEmpty {
                await Task.yield()
                // The widget ends with the object.
                guard !Task.isCancelled, adding != nil else { return }
                for item in rest.prefix(rowsAtOnce) { group.append(make(item)) }
                rest = rest.dropFirst(rowsAtOnce)
            }
        }
        return group
    }

    /// How many rows are made between two events. A row takes about a millisecond.
    private static let rowsAtOnce = 25

    /// The adding of the further rows of a group.
    private final class Adding {
        var task: Task<Void, Never>?

        deinit { task?.cancel() }
    }

    /// Sets the sentence between the title and the rows. Nil removes it.
    package func describe(_ text: String?) {
        adw_preferences_group_set_description(widget.cast(), text.map(markup))
    }

    /// Adds a row at the end.
    package func append(_ row: any Element) { adw_preferences_group_add(widget.cast(), row.widget) }

    /// Removes a row of the group.
    package func remove(_ row: any Element) { adw_preferences_group_remove(widget.cast(), row.widget) }
}
