import CLibrary
internal import CSystemd
import Primitives

/// A connection to a message bus. Only one thread may use it at a time.
///
/// Failures return nil instead of throwing, because a machine may have no bus, no such service or no libsystemd. No
/// call waits longer than two seconds, except ``wait(or:)`` and ``reply(to:within:or:_:)``.
///
/// Source: sd-bus(3).
final class BusConnection {
    /// The timeout for connecting.
    private static let timeout = Duration.seconds(1)
    /// The timeout of a method call, which includes the time the bus may need to start the service.
    private static let callTimeout = Duration.seconds(2)

    private let bus: OpaquePointer
    private let library: latch_bus_functions

    /// Connects to a bus. Returns nil when no bus responds in time.
    init?(_ address: BusAddress) {
        var raw: OpaquePointer?
        guard !address.isMissing, let text = address.text, let library = BusLibrary.functions,
            library.sd_bus_new(&raw) >= 0, let raw
        else { return nil }
        (bus, self.library) = (raw, library)
        // sd_bus_open_user(3) is not used, because its first call would wait 25 seconds for a bus that accepts
        // connections but does not respond.
        guard library.sd_bus_set_address(raw, text) >= 0, library.sd_bus_set_bus_client(raw, 1) >= 0,
            library.sd_bus_start(raw) >= 0,
            becomesReady(before: .now + Self.timeout)
        else { return nil }
    }

    deinit { _ = library.sd_bus_close_unref(bus) }

    /// Calls a method and waits for the reply. Returns nil for a timeout or an error. When `starts` is true, the bus
    /// may start the service for the call.
    func call(
        _ method: BusMethod, starts: Bool = true, _ arguments: (BusMessage) -> Void = { _ in }
    ) -> BusMessage? {
        guard let message = message(method, arguments),
            starts || library.sd_bus_message_set_auto_start(message.raw, 0) >= 0
        else { return nil }
        var answer: OpaquePointer?
        let timeout = UInt64(Self.callTimeout / .microseconds(1))
        guard library.sd_bus_call(bus, message.raw, timeout, nil, &answer) >= 0, let answer else { return nil }
        return BusMessage(answer, library)
    }

    /// The result of a call that may wait for a long time.
    enum Reply {
        case returned(BusMessage)
        case failed(BusError)
        /// The connection was lost.
        case lost
        /// There was no reply in time.
        case timedOut
        /// The wait was ended.
        case stopped
    }

    /// Calls a method and waits for the reply until the timeout is over or the pipe is stopped. Signals that arrive
    /// meanwhile are discarded.
    func reply(
        to method: BusMethod, within timeout: Duration, or pipe: StopPipe, _ arguments: (BusMessage) -> Void
    ) -> Reply {
        let deadline = ContinuousClock.now + timeout
        var cookie: UInt64 = 0
        guard let message = message(method, arguments), library.sd_bus_send(bus, message.raw, &cookie) >= 0 else {
            return .lost
        }
        while !pipe.isStopped {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { return .timedOut }
            do throws(Lost) {
                if let answer = try nextMessage() {
                    guard answer.replyCookie == cookie else { continue }
                    return answer.error.map(Reply.failed) ?? .returned(answer)
                }
            } catch {
                return .lost
            }
            wait(or: pipe.reader, milliseconds: Int32(clamping: left.wholeMilliseconds + 1))
        }
        return .stopped
    }

    /// The name of this connection on the bus, such as `:1.42`. The bus never gives it to another connection.
    var uniqueName: String? {
        var name: UnsafePointer<CChar>?
        guard library.sd_bus_get_unique_name(bus, &name) >= 0, let name else { return nil }
        return String(cString: name)
    }

    private func message(_ method: BusMethod, _ arguments: (BusMessage) -> Void) -> BusMessage? {
        var raw: OpaquePointer?
        guard
            library.sd_bus_message_new_method_call(
                bus, &raw, method.service, method.path, method.interface, method.name) >= 0,
            let raw
        else { return nil }
        let message = BusMessage(raw, library)
        arguments(message)
        return message.isBroken ? nil : message
    }

    /// Reads a property of an object as a variant. Returns nil for a timeout or an error. Never starts the service.
    ///
    /// Source: D-Bus Specification, "org.freedesktop.DBus.Properties".
    func property(_ name: String, of interface: String, at path: String, service: String) -> BusMessage? {
        let method = BusMethod(
            service: service, path: path, interface: "org.freedesktop.DBus.Properties", name: "Get")
        return call(method, starts: false) { message in
            message.append(interface)
            message.append(name)
        }
    }

    /// Subscribes to signals that match a rule. Returns whether the bus accepted the rule.
    ///
    /// Source: D-Bus Specification, "org.freedesktop.DBus.AddMatch".
    func listen(to rule: String) -> Bool { call(.bus("AddMatch")) { $0.append(rule) } != nil }

    /// Returns the next received signal, without waiting. Nil when there is none.
    ///
    /// - Throws: ``Lost``.
    func nextSignal() throws(Lost) -> BusMessage? {
        while let message = try nextMessage() { if message.isSignal { return message } }
        return nil
    }

    private func nextMessage() throws(Lost) -> BusMessage? {
        while true {
            var raw: OpaquePointer?
            let count = library.sd_bus_process(bus, &raw)
            guard count >= 0 else { throw Lost() }
            if let raw { return BusMessage(raw, library) }
            if count == 0 { return nil }
        }
    }

    /// Waits until a message arrives, `other` is readable, or the time is over. A negative time is never over.
    func wait(or other: Int32, milliseconds: Int32 = -1) {
        var both = [
            pollfd(
                fd: library.sd_bus_get_fd(bus), events: Int16(truncatingIfNeeded: library.sd_bus_get_events(bus)),
                revents: 0),
            pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&both, 2, milliseconds)
    }

    /// The connection to the bus was lost.
    struct Lost: Error {}

    private func becomesReady(before deadline: ContinuousClock.Instant) -> Bool {
        while true {
            let state = library.sd_bus_is_ready(bus)
            guard state == 0 else { return state > 0 }
            let count = library.sd_bus_process(bus, nil)
            guard count >= 0 else { return false }
            if count > 0 { continue }
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero, library.sd_bus_wait(bus, UInt64(left / .microseconds(1)) + 1) >= 0 else { return false }
        }
    }
}

/// A D-Bus method: service, object path, interface and name.
struct BusMethod {
    var service: String
    var path: String
    var interface: String
    var name: String

    /// Returns a method of the bus itself.
    static func bus(_ name: String) -> BusMethod {
        BusMethod(
            service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
            name: name)
    }
}
