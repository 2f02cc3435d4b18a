import CAtspi

/// One node of an accessible tree. A node whose widget is gone has no name, no states and no children.
@Accessibility
package final class Node {
    let pointer: UnsafeMutablePointer<AtspiAccessible>

    /// Takes over a reference.
    init(_ pointer: UnsafeMutablePointer<AtspiAccessible>) { self.pointer = pointer }

    /// Makes all calls read from the program: the client's cache is not updated without a main loop. Only for the root of a
    /// program.
    func disableCache() { atspi_accessible_set_cache_mask(pointer, ATSPI_CACHE_NONE) }

    isolated deinit { g_object_unref(pointer) }

    var role: String { Self.text(atspi_accessible_get_role_name(pointer, nil)) }

    /// The accessible name. That of a label is its text.
    var name: String {
        let name = Self.text(atspi_accessible_get_name(pointer, nil))
        // GTK 4.8 repeats the name of a button with a mnemonic, as in a message dialog.
        let half = name.prefix(name.count / 2)
        return role == "push button" && name == "\(half) \(half)" ? String(half) : name
    }

    /// The process of the program. -1 when the program has ended meanwhile.
    var processID: Int32 { Int32(truncatingIfNeeded: atspi_accessible_get_process_id(pointer, nil)) }

    var children: [Node] {
        let count = atspi_accessible_get_child_count(pointer, nil)
        guard count > 0 else { return [] }
        return (0..<count).compactMap { atspi_accessible_get_child_at_index(pointer, $0, nil).map { Node($0) } }
    }

    /// The text that a person edits. Nil: the node is no text.
    var content: String? {
        guard let text = atspi_accessible_get_text_iface(pointer) else { return nil }
        defer { g_object_unref(text) }
        let count = atspi_text_get_character_count(text, nil)
        return count < 0 ? nil : Self.text(atspi_text_get_text(text, 0, count, nil))
    }

    func has(_ state: AtspiStateType) -> Bool {
        guard let states = atspi_accessible_get_state_set(pointer) else { return false }
        defer { g_object_unref(states) }
        return atspi_state_set_contains(states, state) != 0
    }

    /// The place in the window, in pixels. Nil: the node is not on the display.
    var frame: Frame? {
        guard let component = atspi_accessible_get_component_iface(pointer) else { return nil }
        defer { g_object_unref(component) }
        guard let extents = atspi_component_get_extents(component, ATSPI_COORD_TYPE_WINDOW, nil) else { return nil }
        defer { g_free(extents) }
        let place = extents.pointee
        guard place.width > 0, place.height > 0 else { return nil }
        return Frame(x: Int(place.x), y: Int(place.y), width: Int(place.width), height: Int(place.height))
    }

    /// Replaces the text. Returns whether the node accepted it.
    func setContent(_ text: String) -> Bool {
        guard let editable = atspi_accessible_get_editable_text_iface(pointer) else { return false }
        defer { g_object_unref(editable) }
        return atspi_editable_text_set_text_contents(editable, text, nil) != 0
    }

    /// Does the first action of the node, which is that of a click. Returns whether the node has one.
    func activate() -> Bool {
        guard let action = atspi_accessible_get_action_iface(pointer) else { return false }
        defer { g_object_unref(action) }
        return atspi_action_do_action(action, 0, nil) != 0
    }

    /// Returns the first node that matches, in this one or below it, in the order of the tree. What is invisible is
    /// skipped with everything below it.
    func first(where matches: (Node) -> Bool) -> Node? {
        // GTK 4.8 sets SHOWING on windows only.
        guard has(ATSPI_STATE_VISIBLE) || role == "application" else { return nil }
        if matches(self) { return self }
        for child in children {
            if let found = child.first(where: matches) { return found }
        }
        return nil
    }

    /// The visible part of the tree, one node a line, for a failure.
    func dump(_ depth: Int = 0) -> String {
        guard has(ATSPI_STATE_VISIBLE) || role == "application" else { return "" }
        var line = String(repeating: "  ", count: depth) + "\(role) '\(name)'"
        if let content, !content.isEmpty, role != "password text" { line += " \"\(content)\"" }
        if !has(ATSPI_STATE_SENSITIVE) { line += " insensitive" }
        if has(ATSPI_STATE_FOCUSED) { line += " focused" }
        return line + "\n" + children.map { $0.dump(depth + 1) }.joined()
    }

    private static func text(_ pointer: UnsafeMutablePointer<CChar>?) -> String {
        guard let pointer else { return "" }
        defer { g_free(pointer) }
        return String(cString: pointer)
    }
}
