import CAdwaita
import LatchScreens
import Widgets

/// The named actions of the application or of a window, which menus, buttons and shortcuts refer to.
@MainActor
struct Actions {
    private let map: OpaquePointer

    /// Makes an interface to the actions of an application or window.
    init(_ map: OpaquePointer) { self.map = map }

    /// Adds an action.
    ///
    /// - Parameters:
    ///   - name: The name without its prefix `app.` or `win.`.
    ///   - run: What the action does.
    func add(_ name: String, _ run: @escaping @MainActor () -> Void) {
        guard let action = g_simple_action_new(name, nil) else { return }
        Signals.connect(UnsafeMutableRawPointer(action), withArgument: "activate") { _ in run() }
        g_action_map_add_action(map, action)
        g_object_unref(UnsafeMutableRawPointer(action))
    }

    /// Allows or prevents an action.
    func set(_ name: String, isEnabled: Bool) {
        g_simple_action_set_enabled(g_action_map_lookup_action(map, name), isEnabled.gboolean)
    }

    /// Sets the keys of an action, in the notation of `gtk_accelerator_parse`.
    func set(shortcuts: [String], of action: String, in application: UnsafeMutablePointer<GtkApplication>) {
        var keys = shortcuts.map { UnsafePointer(strdup($0)) } + [nil]
        gtk_application_set_accels_for_action(application, action, &keys)
        for key in keys { free(UnsafeMutableRawPointer(mutating: key)) }
    }

    /// Runs an action of the application.
    ///
    /// - Parameter name: The name without its prefix `app.`.
    static func activate(_ name: String) {
        g_action_group_activate_action(OpaquePointer(g_application_get_default()), name, nil)
    }

    /// Does what a button of a download says.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - retry: Retries the download.
    static func perform(_ action: DownloadAction, retry: () -> Void) {
        switch action {
        case .retry: retry()
        case .signIn, .changePassword: activate("accounts")
        case .chooseFolder, .allowMetered: activate("settings")
        }
    }
}
