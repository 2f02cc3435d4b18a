import CAdwaita

/// The desktop's dialog in which a person chooses a folder.
@MainActor
package enum FolderChooser {
    /// Shows the dialog.
    ///
    /// - Parameters:
    ///   - title: The title of the dialog.
    ///   - path: The folder that is shown first.
    ///   - element: An element of the window above which the dialog is shown.
    ///   - chosen: Called with the path of the folder, unless the person cancels.
    package static func choose(
        _ title: String, from path: String, above element: any Element,
        _ chosen: @escaping @MainActor (String) -> Void
    ) {
        let window: UnsafeMutablePointer<GtkWindow>? = gtk_widget_get_root(element.widget)?.cast()
        guard
            let dialog = gtk_file_chooser_native_new(
                title, window, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, nil, nil)
        else { return }
        let file = g_file_new_for_path(path)
        gtk_file_chooser_set_current_folder(dialog, file, nil)
        g_object_unref(UnsafeMutableRawPointer(file))
        Signals.connect(UnsafeMutableRawPointer(dialog), withArgument: "response") { response in
            defer { g_object_unref(UnsafeMutableRawPointer(dialog)) }
            guard Int32(truncatingIfNeeded: Int(bitPattern: response)) == GTK_RESPONSE_ACCEPT.rawValue,
                let file = gtk_file_chooser_get_file(dialog)
            else { return }
            defer { g_object_unref(UnsafeMutableRawPointer(file)) }
            guard let path = g_file_get_path(file) else { return }
            defer { g_free(path) }
            chosen(String(cString: path))
        }
        gtk_native_dialog_show(dialog.cast())
    }
}
