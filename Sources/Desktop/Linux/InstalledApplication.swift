internal import FoundationEssentials

/// The desktop app of this project, if it is installed. The bus starts it when it is called.
///
/// Source: Desktop Entry Specification 1.5, "D-Bus Activation"; D-Bus Specification, "Message Bus Starting Services".
package struct InstalledApplication: Sendable {
    /// The id of the app: the name of its desktop entry and its name on the bus.
    package static let id = "io.github.latchstring.Latchstring"

    /// An action of the app that other programs may call.
    package enum Action: String, Sendable {
        /// Shows the downloads.
        case showDownloads = "show-downloads"
        /// Opens the folder of the downloads.
        case openFolder = "open-folder"
    }

    /// Finds the app. Nil when no folder for data has its service file.
    ///
    /// - Parameter environment: The variables that locate the folders for data: `XDG_DATA_HOME`, `HOME` and
    ///   `XDG_DATA_DIRS`.
    package init?(_ environment: [String: String]) {
        let shared = environment["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/local/share:/usr/share"
        let folders =
            [UserFolder.data.path(environment)].compactMap(\.self) + shared.split(separator: ":").map(String.init)
        let file = "/dbus-1/services/\(Self.id).service"
        guard folders.contains(where: { FileManager.default.fileExists(atPath: $0 + file) }) else { return nil }
    }

    /// Calls an action of the app. Starts the app if it does not run.
    func activate(_ action: Action, _ connection: BusConnection) {
        let path = "/" + Self.id.replacing(".", with: "/")
        let method = BusMethod(
            service: Self.id, path: path, interface: "org.freedesktop.Application", name: "ActivateAction")
        _ = connection.call(method) { message in
            message.append(action.rawValue)
            message.array(of: "v") {}
            message.append(variants: [])
        }
    }

    /// Shows a notification whose actions the desktop passes to the app, also after this program has ended. Returns
    /// whether the desktop has such notifications.
    ///
    /// Source: GLib, `gio/gtknotification`: the interface `org.gtk.Notifications`.
    func notify(_ content: DesktopNotification.Content, name: String, _ connection: BusConnection) -> Bool {
        let interface = "org.gtk.Notifications"
        let owner = connection.call(.bus("NameHasOwner")) { $0.append(interface) }
        guard owner?.boolean() == true else { return false }
        let buttons = content.actions.map { action, title -> [(key: String, value: BusValue)] in
            [("label", .string(title)), ("action", .string("app." + action.rawValue))]
        }
        let method = BusMethod(
            service: interface, path: "/org/gtk/Notifications", interface: interface, name: "AddNotification")
        return connection.call(method) { message in
            message.append(Self.id)
            message.append(name)
            message.append(variants: [
                ("title", .string(content.title)), ("body", .string(content.body)),
                ("default-action", .string("app." + Action.showDownloads.rawValue)),
                ("buttons", .dictionaries(buttons)),
            ])
        } != nil
    }
}
