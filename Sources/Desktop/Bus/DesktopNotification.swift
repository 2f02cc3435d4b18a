/// One message on the person's desktop, changed in its place as things go on.
///
/// Nothing happens where there is no desktop that shows such messages.
///
/// Source: Desktop Notifications Specification 1.2, §9; DL-15, DL-16.
public actor DesktopNotification {
    /// What it says.
    public struct Content: Sendable, Hashable {
        /// The line on top.
        public var title: String
        /// The text below it, plain.
        public var body: String
        /// Percent done, 0 to 100; nil for no bar.
        public var progress: Int?
        /// Whether it stays on the screen until it is over, and is no mere remark.
        public var isPersistent: Bool

        /// Makes content.
        public init(title: String, body: String = "", progress: Int? = nil, isPersistent: Bool = false) {
            self.title = title
            self.body = body
            self.progress = progress
            self.isPersistent = isPersistent
        }
    }

    private static let interface = "org.freedesktop.Notifications"
    /// The least time between two updates.
    private static let pace = Duration.seconds(1)

    private let executor = BusExecutor("latchstring.notification")
    private let address: BusAddress
    private let name: String
    private var connection: BusConnection?
    private var pause = BusPause()
    private var readsMarkup = false
    /// The desktop's number of the message that is shown.
    private var number: UInt32 = 0
    /// Whether the person has closed it.
    private var isDismissed = false
    private var shown: (content: Content, moment: ContinuousClock.Instant)?

    /// Its own thread: the bus may let it wait.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Makes one that shows nothing yet.
    ///
    /// - Parameters:
    ///   - bus: The session's bus.
    ///   - name: Tells it from other messages of this program; one of the same name takes its place.
    public init(_ bus: BusAddress, name: String) {
        address = bus
        self.name = name
    }

    /// Shows how things stand. Within a second of the last time it does nothing, for the next update says more; and nothing
    /// once the person has closed the message.
    public func update(_ content: Content) {
        if let shown {
            guard shown.content != content else { return }
            // It is told at once that it must not go away, or may.
            guard shown.content.isPersistent != content.isPersistent || shown.moment + Self.pace <= .now else { return }
        }
        show(content, isLast: false)
    }

    /// Shows how things ended, also to a person who has closed the message before, and leaves it there.
    public func finish(_ content: Content) {
        show(content, isLast: true)
        (number, isDismissed, shown) = (0, false, nil)
    }

    /// Takes the message away.
    public func close() {
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
            message.append(readsMarkup ? Self.escaped(content.body) : content.body)
            message.append([String]())
            message.append(variants: hints(content, isLast: isLast))
            // How long it stays: -1 as the desktop likes, 0 until it is taken away.
            message.append(isLast ? -1 as Int32 : 0)
        }
        guard let id = answer?.uint32() else {
            self.connection = nil
            return pause.begin()
        }
        number = id
    }

    /// A message that changes all the time is of low urgency: it may stay among the others and need not pop up.
    private func hints(_ content: Content, isLast: Bool) -> [(key: String, value: BusValue)] {
        var hints: [(key: String, value: BusValue)] = [
            ("urgency", .byte(content.isPersistent || isLast ? 1 : 0)),
            ("category", .string(isLast ? "transfer.complete" : "transfer")),
            ("x-canonical-private-synchronous", .string(name)),
        ]
        if content.isPersistent { hints.append(("resident", .boolean(true))) }
        if let progress = content.progress { hints.append(("value", .number(Int32(min(100, max(0, progress)))))) }
        return hints
    }

    private func connected() -> BusConnection? {
        if let connection { return connection }
        guard pause.isOver else { return nil }
        guard let fresh = BusConnection(address), fresh.listen(to: Self.closings),
            let capabilities = fresh.call(Self.method("GetCapabilities"))
        else {
            pause.begin()
            return nil
        }
        (connection, number, isDismissed) = (fresh, 0, false)
        readsMarkup = capabilities.strings().contains("body-markup")
        return fresh
    }

    /// Looks whether the person has closed the message meanwhile.
    private func notice(_ connection: BusConnection) {
        while let signal = try? connection.nextSignal() {
            guard signal.isSignal(Self.interface, "NotificationClosed"), let id = signal.uint32() else { continue }
            if id == number, number != 0 { isDismissed = true }
        }
    }

    private static let closings = "type='signal',interface='\(interface)',member='NotificationClosed'"

    private static func method(_ name: String) -> BusMethod {
        BusMethod(
            service: interface, path: "/org/freedesktop/Notifications", interface: interface, name: name)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
