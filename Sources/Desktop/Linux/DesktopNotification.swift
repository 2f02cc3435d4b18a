import Primitives

/// A desktop notification that is updated in place.
///
/// All methods do nothing when no notification service is available.
///
/// Source: Desktop Notifications Specification 1.2, §9; DL-15, DL-16.
package actor DesktopNotification {
    /// The content of a notification.
    package struct Content: Sendable, Equatable {
        /// The title.
        package var title: String
        /// The text below the title, without markup.
        package var body: String
        /// The progress in percent, 0 to 100. Nil for no progress bar.
        package var progress: Int?
        /// Whether the notification stays on the screen until it is finished or closed.
        package var isPersistent: Bool
        /// The buttons of the final notification, with their titles. They are shown only when the app is installed and
        /// the desktop passes them to it, because this program may end before the person uses them.
        package var actions: [(InstalledApplication.Action, title: String)]

        /// Creates content.
        package init(
            title: String, body: String = "", progress: Int? = nil, isPersistent: Bool = false,
            actions: [(InstalledApplication.Action, title: String)] = []
        ) {
            self.title = title
            self.body = body
            self.progress = progress
            self.isPersistent = isPersistent
            self.actions = actions
        }

        /// Whether both show the same.
        package static func == (one: Self, other: Self) -> Bool {
            one.title == other.title && one.body == other.body && one.progress == other.progress
                && one.isPersistent == other.isPersistent && one.actions.elementsEqual(other.actions, by: ==)
        }
    }

    private static let interface = "org.freedesktop.Notifications"
    /// The minimum interval between two updates.
    private static let pace = Duration.seconds(1)

    private let executor = BusExecutor("latchstring.notification")
    private let address: BusAddress
    private let name: String
    private let application: InstalledApplication?
    private var connection: BusConnection?
    private var pause = BusPause()
    private var readsMarkup = false
    /// The id of the displayed notification. 0 when none is displayed.
    private var number: UInt32 = 0
    /// Whether the person has closed the notification.
    private var isDismissed = false
    private var shown: (content: Content, moment: ContinuousClock.Instant)?

    /// The actor's own executor, because calls to the bus block.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates a notification without showing it.
    ///
    /// - Parameters:
    ///   - environment: The variables that locate the services of the desktop.
    ///   - name: Identifies the notification among those of this program. A notification with the same name replaces
    ///     it.
    package init(_ environment: [String: String], name: String) {
        address = .session(environment)
        self.name = name
        application = InstalledApplication(environment)
    }

    /// Shows new content. Does nothing within a second of the last update, because a later update will show more, and
    /// nothing after the person has closed the notification.
    package func update(_ content: Content) {
        if let shown {
            guard shown.content != content else { return }
            // A change of `isPersistent` is shown at once.
            guard shown.content.isPersistent != content.isPersistent || shown.moment + Self.pace <= .now else { return }
        }
        show(content, isLast: false)
    }

    /// Shows the final content, even when the person has closed the notification before, and leaves it on the screen.
    package func finish(_ content: Content) {
        if let application, let connection = connected(), application.notify(content, name: name, connection) {
            close()
        } else {
            show(content, isLast: true)
        }
        (number, isDismissed, shown) = (0, false, nil)
    }

    /// Closes the notification.
    package func close() {
        defer { (number, isDismissed, shown) = (0, false, nil) }
        guard number != 0, !isDismissed else { return }
        _ = connection?.call(Self.method("CloseNotification")) { $0.append(number) }
    }

    private func show(_ content: Content, isLast: Bool) {
        guard let connection = connected() else { return }
        notice(connection)
        if isDismissed {
            guard isLast else { return }
            number = 0
        }
        shown = (content, .now)
        let answer = connection.call(Self.method("Notify")) { message in
            message.append("Latchstring")
            message.append(number)
            message.append("folder-download")
            message.append(content.title)
            message.append(readsMarkup ? content.body.escapedForMarkup : content.body)
            // The key of the action for a click on the notification itself. Nobody waits for it after the end.
            message.append(application == nil || isLast ? [] : [Self.click, "Show downloads"])
            message.append(variants: hints(content, isLast: isLast))
            // The expiration timeout: -1 for the desktop's default, 0 for none.
            message.append(isLast ? -1 as Int32 : 0)
        }
        guard let id = answer?.uint32() else {
            self.connection = nil
            return pause.begin()
        }
        number = id
    }

    /// Returns the hints. A notification that changes often has low urgency, so that it appears in the list without a
    /// popup.
    private func hints(_ content: Content, isLast: Bool) -> [(key: String, value: BusValue)] {
        var hints: [(key: String, value: BusValue)] = [
            ("urgency", .byte(content.isPersistent || isLast ? 1 : 0)),
            ("category", .string(isLast ? "transfer.complete" : "transfer")),
            ("x-canonical-private-synchronous", .string(name)),
        ]
        if application != nil { hints.append(("desktop-entry", .string(InstalledApplication.id))) }
        if content.isPersistent { hints.append(("resident", .boolean(true))) }
        if let progress = content.progress { hints.append(("value", .number(Int32(min(100, max(0, progress)))))) }
        return hints
    }

    private func connected() -> BusConnection? {
        if let connection { return connection }
        guard pause.isOver else { return nil }
        guard let fresh = BusConnection(address), fresh.listen(to: Self.signals),
            let capabilities = fresh.call(Self.method("GetCapabilities"))
        else {
            pause.begin()
            return nil
        }
        (connection, number, isDismissed) = (fresh, 0, false)
        readsMarkup = capabilities.strings().contains("body-markup")
        return fresh
    }

    /// Checks whether the person has closed or clicked the notification.
    private func notice(_ connection: BusConnection) {
        while let signal = try? connection.nextSignal() {
            let isClosed = signal.isSignal(Self.interface, "NotificationClosed")
            guard isClosed || signal.isSignal(Self.interface, "ActionInvoked"), let id = signal.uint32(), id == number,
                number != 0
            else { continue }
            if isClosed {
                isDismissed = true
            } else if signal.string() == Self.click {
                application?.activate(.showDownloads, connection)
            }
        }
    }

    private static let click = "default"
    private static let signals = "type='signal',interface='\(interface)'"

    private static func method(_ name: String) -> BusMethod {
        BusMethod(
            service: interface, path: "/org/freedesktop/Notifications", interface: interface, name: name)
    }
}
