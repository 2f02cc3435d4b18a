import CAdwaita
import LatchKit
import LatchScreens
import Widgets

/// The window: a header bar with Back and the menu, and the pages below it.
@MainActor
final class MainWindow {
    /// The titles of the menu, and the actions that they stand for.
    private static let menu = [
        (AccountsScreen.Text.title, "app.accounts"), ("Settings", "app.settings"), (LogScreen.Text.title, "app.logs"),
        ("About \(AppScreen.Text.name)", "app.about"),
        ("Quit", "app.quit"),
    ]

    private let window: Widget
    private let header: Widget
    private let title: Widget
    private let overlay: Widget
    private let actions: Actions
    private let folders = try? Folders()
    private var headerItems: [any Element] = []
    /// The pages.
    let pages = PageStack()

    /// Makes a window without pages.
    ///
    /// - Parameters:
    ///   - application: The application, which owns the window.
    ///   - closed: Called when a person closes the window, which is only hidden then.
    init(_ application: UnsafeMutablePointer<GtkApplication>, closed: @escaping @MainActor () -> Void) {
        window = adw_application_window_new(application)
        header = adw_header_bar_new()
        title = adw_window_title_new(AppScreen.Text.name, "")
        overlay = adw_toast_overlay_new()
        actions = Actions(window.opaque)
        arrange()
        actions.add("back") { [unowned self] in pages.goBack() }
        Signals.connect(window, handling: "close-request") { [unowned self] in
            WindowSize(of: window.cast()).store(folders: folders)
            window.isVisible = false
            closed()
            return true
        }
        addEscape()
        observing(self) { $0.drawHeader() }
    }

    /// Shows the window above the others.
    func present() { gtk_window_present(window.cast()) }

    /// Closes the window, as a person does it.
    func close() { gtk_window_close(window.cast()) }

    /// Shows a sentence for some seconds.
    func show(toast: String) {
        adw_toast_overlay_add_toast(overlay.opaque, adw_toast_new(markup(toast)))
    }

    /// Shows the name, version and licence of the program.
    func showAbout() {
        guard let about = adw_about_window_new() else { return }
        adw_about_window_set_application_name(about.opaque, AppScreen.Text.name)
        adw_about_window_set_application_icon(about.opaque, DesktopApplication.id)
        adw_about_window_set_version(about.opaque, LatchClient.version)
        adw_about_window_set_developer_name(about.opaque, "The Latchstring authors")
        adw_about_window_set_license_type(about.opaque, GTK_LICENSE_APACHE_2_0)
        gtk_window_set_transient_for(about.cast(), window.cast())
        gtk_window_set_modal(about.cast(), 1)
        gtk_window_present(about.cast())
    }

    private func arrange() {
        let size = WindowSize(folders: folders)
        gtk_window_set_title(window.cast(), AppScreen.Text.name)
        gtk_widget_set_size_request(window, WindowSize.smallestWidth, 300)
        gtk_window_set_default_size(window.cast(), size.width, size.height)
        if size.isMaximized { gtk_window_maximize(window.cast()) }
        adw_header_bar_set_title_widget(header.opaque, title)
        adw_header_bar_pack_start(
            header.opaque, Button(icon: "go-previous-symbolic", name: "Back", action: "win.back").widget)
        adw_header_bar_pack_end(header.opaque, menuButton())
        adw_toast_overlay_set_child(overlay.opaque, pages.widget)
        adw_application_window_set_content(
            window.cast(), Stacked.column(spacing: 0, header, overlay).widget)
    }

    private func menuButton() -> Widget {
        let menu = g_menu_new()!
        for (title, action) in Self.menu {
            g_menu_append(menu, title, action)
        }
        let button: Widget = gtk_menu_button_new()
        gtk_menu_button_set_icon_name(button.opaque, "open-menu-symbolic")
        gtk_menu_button_set_menu_model(button.opaque, menu.cast())
        gtk_menu_button_set_primary(button.opaque, 1)
        g_object_unref(UnsafeMutableRawPointer(menu))
        return button.named("Main menu").tooltip("Main menu")
    }

    /// Escape goes back where nothing inside of the window uses the key, such as an open menu.
    private func addEscape() {
        let controller = gtk_shortcut_controller_new()
        gtk_shortcut_controller_add_shortcut(
            controller,
            gtk_shortcut_new(
                gtk_keyval_trigger_new(guint(GDK_KEY_Escape), GdkModifierType(rawValue: 0)),
                gtk_named_action_new("win.back")))
        gtk_widget_add_controller(window, controller)
    }

    /// Shows what belongs to the page on top in the header bar.
    private func drawHeader() {
        guard let page = pages.top else { return }
        adw_window_title_set_title(title.opaque, page.title)
        adw_window_title_set_subtitle(title.opaque, page.subtitle)
        actions.set("back", isEnabled: pages.canGoBack)
        guard headerItems.map(\.widget) != page.headerItems.map(\.widget) else { return }
        for item in headerItems { adw_header_bar_remove(header.opaque, item.widget) }
        headerItems = page.headerItems
        for item in headerItems { adw_header_bar_pack_end(header.opaque, item.widget) }
    }
}
