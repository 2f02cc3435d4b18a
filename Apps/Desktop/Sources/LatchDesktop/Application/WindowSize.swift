import CAdwaita
import Glibc
import LatchKit
import Widgets

/// The size of the window, which is stored for the next start in `window.ini` in the state folder.
struct WindowSize: Equatable {
    /// The smallest width in pixels. Pages must fit in it.
    static let smallestWidth: Int32 = 360

    /// The width below which the header bar has no place for all buttons of the window.
    static let narrow: Int32 = 480

    /// The width in pixels, without maximization.
    var width: Int32 = 720
    /// The height in pixels, without maximization.
    var height: Int32 = 640
    /// Whether the window fills the screen.
    var isMaximized = false

    private static let group = "window"

    /// Reads the stored size. A missing or invalid file gives the size of a first start.
    init(folders: Folders?) {
        guard let path = Self.path(folders), let file = g_key_file_new() else { return }
        defer { g_key_file_free(file) }
        let text = Self.contents(path)
        guard g_key_file_load_from_data(file, text, gsize(text.count), G_KEY_FILE_NONE, nil) != 0 else { return }
        let (width, height) = (Self.length("width", in: file), Self.length("height", in: file))
        guard let width, let height else { return }
        (self.width, self.height) = (max(width, Self.smallestWidth), height)
        isMaximized = g_key_file_get_boolean(file, Self.group, "maximized", nil) != 0
    }

    /// Reads the size of a window.
    @MainActor
    init(of window: UnsafeMutablePointer<GtkWindow>) {
        gtk_window_get_default_size(window, &width, &height)
        isMaximized = gtk_window_is_maximized(window) != 0
    }

    /// Stores the size. A failure is ignored: the next window has the size of a first start.
    func store(folders: Folders?) {
        guard let path = Self.path(folders), let file = g_key_file_new() else { return }
        defer { g_key_file_free(file) }
        g_key_file_set_integer(file, Self.group, "width", width)
        g_key_file_set_integer(file, Self.group, "height", height)
        g_key_file_set_boolean(file, Self.group, "maximized", isMaximized.gboolean)
        if let folder = g_path_get_dirname(path) {
            g_mkdir_with_parents(folder, 0o700)
            g_free(folder)
        }
        g_key_file_save_to_file(file, path, nil)
    }

    /// Reads the file. Nothing waits for a FIFO, and the length is limited, because the main thread reads it.
    private static func contents(_ path: String) -> [CChar] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return [] }
        var text = [CChar](repeating: 0, count: 4_096)
        let count = read(descriptor, &text, text.count)
        return Array(text.prefix(max(0, count)))
    }

    private static func path(_ folders: Folders?) -> String? { folders.map { $0.state + "/window.ini" } }

    private static func length(_ key: String, in file: OpaquePointer) -> Int32? {
        let length = g_key_file_get_integer(file, group, key, nil)
        return (200...16_384).contains(length) ? length : nil
    }
}
