import CAdwaita

/// The desktop's dialog in which a person chooses a file or a folder.
@MainActor
package enum FileChooser {
    /// What a person chooses.
    package enum Kind {
        /// A file that exists.
        case file
        /// A folder.
        case folder
    }

    /// Shows the dialog.
    ///
    /// - Parameters:
    ///   - kind: What the person chooses.
    ///   - title: The title of the dialog.
    ///   - path: The folder that is shown first, or the file that is selected first. Empty for none.
    ///   - element: An element of the page that asks. The dialog is closed when the page is left.
    ///   - chosen: Called with the path, unless the person cancels or the page is left.
    package static func choose(
        _ kind: Kind, _ title: String, from path: String, above element: any Element,
        _ chosen: @escaping @MainActor (String) -> Void
    ) {
        let window: UnsafeMutablePointer<GtkWindow>? = gtk_widget_get_root(element.widget)?.cast()
        guard
            let dialog = gtk_file_chooser_native_new(
                title, window, kind == .file ? GTK_FILE_CHOOSER_ACTION_OPEN : GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER,
                nil, nil)
        else { return }
        if !path.isEmpty {
            let file = g_file_new_for_path(path)
            switch kind {
            case .file: gtk_file_chooser_set_file(dialog, file, nil)
            case .folder: gtk_file_chooser_set_current_folder(dialog, file, nil)
            }
            g_object_unref(UnsafeMutableRawPointer(file))
        }
        var isOpen = true
        Signals.connect(UnsafeMutableRawPointer(dialog), withArgument: "response") { response in
            guard isOpen else { return }
            isOpen = false
            defer { g_object_unref(UnsafeMutableRawPointer(dialog)) }
            guard Int32(truncatingIfNeeded: Int(bitPattern: response)) == GTK_RESPONSE_ACCEPT.rawValue,
                let file = gtk_file_chooser_get_file(dialog)
            else { return }
            defer { g_object_unref(UnsafeMutableRawPointer(file)) }
            guard let path = g_file_get_path(file) else { return }
            defer { g_free(path) }
            chosen(String(cString: path))
        }
        // The choice ends with its page, for example when the device is locked.
        element.onEnd {
            guard isOpen else { return }
            isOpen = false
            gtk_native_dialog_destroy(dialog.cast())
            g_object_unref(UnsafeMutableRawPointer(dialog))
        }
        gtk_native_dialog_show(dialog.cast())
    }
}
