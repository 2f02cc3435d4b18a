import CAdwaita

/// Opens files and folders with the programs that the desktop has for them.
@MainActor
package enum Launcher {
    /// Opens a file or folder.
    ///
    /// - Parameters:
    ///   - path: The absolute path.
    ///   - element: An element of the window that asks for it. Nil when there is none.
    package static func open(_ path: String, from element: (any Element)?) {
        let file = g_file_new_for_path(path)
        let uri = g_file_get_uri(file)
        defer {
            g_object_unref(UnsafeMutableRawPointer(file))
            g_free(uri)
        }
        let window: UnsafeMutablePointer<GtkWindow>? = element.flatMap { gtk_widget_get_root($0.widget) }?.cast()
        gtk_show_uri(window, uri, guint32(GDK_CURRENT_TIME))
    }
}
