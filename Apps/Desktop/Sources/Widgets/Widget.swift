package import CAdwaita

/// A pointer to a widget. GTK's tree owns the widget; Swift holds no reference of its own.
///
/// Keep a pointer only in an object that the same widget or one of its ancestors owns: see ``Element/keep(_:)``.
package typealias Widget = UnsafeMutablePointer<GtkWidget>

/// Something that is shown: a widget, or a value of this module around one.
@MainActor
package protocol Element {
    /// The widget that a container holds.
    var widget: Widget { get }
}

extension UnsafeMutablePointer: Element where Pointee == GtkWidget {
    package var widget: Widget { self }
}

extension Widget {
    /// Returns the widgets of a type below this one, in the order of the tree.
    @MainActor
    func descendants(ofType type: GType) -> [Widget] {
        var (found, next) = ([Widget](), gtk_widget_get_first_child(self))
        while let child = next {
            if g_type_check_instance_is_a(child.cast(), type) != 0 { found.append(child) }
            found += child.descendants(ofType: type)
            next = gtk_widget_get_next_sibling(child)
        }
        return found
    }
}

extension UnsafeMutablePointer {
    /// The same object as another type of its class hierarchy, as GTK's casting macros do it.
    package func cast<Other>(to: Other.Type = Other.self) -> UnsafeMutablePointer<Other> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: Other.self)
    }

    /// The same object for functions of a type whose structure is private in C.
    package var opaque: OpaquePointer { OpaquePointer(self) }
}

extension OpaquePointer {
    /// The same object as a type of its class hierarchy.
    package func cast<Other>(to: Other.Type = Other.self) -> UnsafeMutablePointer<Other> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: Other.self)
    }
}

extension Bool {
    /// The truth value of GLib.
    package var gboolean: gboolean { self ? 1 : 0 }
}

/// Returns a text as markup that shows exactly the text, for the few properties that are always markup.
package func markup(_ text: String) -> String {
    let escaped = g_markup_escape_text(text, -1)
    defer { g_free(escaped) }
    return escaped.map { String(cString: $0) } ?? ""
}
