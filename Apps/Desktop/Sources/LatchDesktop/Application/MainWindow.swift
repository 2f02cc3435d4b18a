import CAdwaita
import LatchKit
import LatchScreens
import Widgets

/// The window: a header bar with Back and the menu, and the pages below it.
@MainActor
final class MainWindow {
    /// The titles of the menu, and the actions that they stand for.
    private static let menu = [
        (AccountsScreen.Text.title, "app.accounts"), (AppScreen.Text.settings, "app.settings"),
        (LockSettingsScreen.Text.lockNow, "app.lock"), (LogScreen.Text.title, "app.logs"),
        (AppScreen.Text.about, "app.about"), (AppScreen.Text.quit, "app.quit"),
    ]

    private let window: Widget
    private let header: Widget
    private let title: Widget
    private let overlay: Widget
    private let actions: Actions
    private let folders = try? Folders()
    private var headerItems: [any Element] = []
    /// The message that is shown for some seconds. Nil while none is shown.
    private var toast: Label?
    /// The last message that replaced another one, and when.
    private var replacement: (message: String, time: ContinuousClock.Instant)?
    /// The pages.
    let pages = PageStack()

    /// Makes a window without pages.
    ///
    /// - Parameters:
    ///   - application: The application, which owns the window.
    ///   - activated: Called when the window gets the focus.
    ///   - closed: Called when a person closes the window, which is only hidden then.
    init(
        _ application: UnsafeMutablePointer<GtkApplication>, activated: @escaping @MainActor () -> Void,
        closed: @escaping @MainActor () -> Void
    ) {
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
        window.on(property: "is-active") { [unowned self] in
            if gtk_window_is_active(window.cast()) != 0 { activated() }
        }
        addEscape()
        window.on(property: "default-width") { [unowned self] in drawControls() }
        drawControls()
        observing(self) { $0.drawHeader() }
    }

    /// Shows the window above the others.
    func present() { gtk_window_present(window.cast()) }

    /// Closes the window, as a person does it.
    func close() { gtk_window_close(window.cast()) }

    /// Shows a message for some seconds, in as many lines as it needs, instead of the one that is shown now.
    ///
    /// libadwaita 1.2 crashes when toasts are dismissed while others wait, so there is one, whose text changes.
    func show(toast message: String) {
        if let toast {
            toast.named(message).text = message
            replacement = (message, .now)
            return
        }
        guard let new = adw_toast_new("") else { return }
        // The title of a toast is cut after one line.
        let label = Label(message, role: GTK_ACCESSIBLE_ROLE_ALERT).named(message).expanded(horizontally: true)
        gtk_label_set_natural_wrap_mode(label.widget.opaque, GTK_NATURAL_WRAP_NONE)
        // libadwaita does not make a wider toast narrower, and cuts its button in the narrowest window.
        gtk_label_set_max_width_chars(label.widget.opaque, 28)
        gtk_label_set_xalign(label.widget.opaque, 0)
        gtk_label_set_justify(label.widget.opaque, GTK_JUSTIFY_LEFT)
        adw_toast_set_custom_title(new, label.widget)
        adw_toast_set_timeout(new, guint(max(5, message.count / 10)))
        toast = label
        Signals.connect(UnsafeMutableRawPointer(new), "dismissed") { [unowned self] in endToast() }
        adw_toast_overlay_add_toast(overlay.opaque, new)
    }

    /// Shows a message again that came just before the end.
    private func endToast() {
        toast = nil
        guard let last = replacement else { return }
        replacement = nil
        if last.time.duration(to: .now) < Self.shortestToast { show(toast: last.message) }
    }

    /// How long a message is shown at least.
    private static let shortestToast = Duration.seconds(3)

    /// Shows what the program says about itself, and its licence.
    func showAbout() {
        guard let about = adw_about_window_new() else { return }
        adw_about_window_set_application_name(about.opaque, AboutScreen.name)
        adw_about_window_set_application_icon(about.opaque, DesktopApplication.id)
        adw_about_window_set_version(about.opaque, AboutScreen.version)
        adw_about_window_set_comments(about.opaque, AboutScreen.summary)
        adw_about_window_set_developer_name(about.opaque, AboutScreen.authors)
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
            header.opaque, Button(icon: "go-previous-symbolic", name: SignInScreen.Text.back, action: "win.back").widget
        )
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
        return button.named(AppScreen.Text.menu).tooltip(AppScreen.Text.menu)
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

    /// Leaves out the buttons that minimize and maximize a narrow window, which would cut the titles of pages.
    private func drawControls() {
        guard WindowSize(of: window.cast()).width < WindowSize.narrow else {
            return adw_header_bar_set_decoration_layout(header.opaque, nil)
        }
        let sides = Self.decorationLayout.split(separator: ":", omittingEmptySubsequences: false).map { side in
            side.split(separator: ",").filter { $0 != "minimize" && $0 != "maximize" }.joined(separator: ",")
        }
        adw_header_bar_set_decoration_layout(header.opaque, sides.joined(separator: ":"))
    }

    /// The buttons of windows on this desktop, in the notation of GTK.
    private static var decorationLayout: String {
        var value = GValue()
        g_value_init(&value, GType(16 << 2))  // G_TYPE_STRING, a macro in C.
        defer { g_value_unset(&value) }
        guard let settings = gtk_settings_get_default() else { return "" }
        g_object_get_property(UnsafeMutablePointer(settings), "gtk-decoration-layout", &value)
        return g_value_get_string(&value).map { String(cString: $0) } ?? ""
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
