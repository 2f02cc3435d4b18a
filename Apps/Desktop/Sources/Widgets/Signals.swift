import CAdwaita

/// The closure of a signal. The connection owns it and releases it when the sender is finalized.
@MainActor
private final class Handler {
    let run: @MainActor (UnsafeMutableRawPointer?) -> Bool

    init(_ run: @escaping @MainActor (UnsafeMutableRawPointer?) -> Bool) { self.run = run }

    /// Runs the closure of a connection. GTK emits its signals on the main thread, outside of any task.
    static nonisolated func run(
        _ data: UnsafeMutableRawPointer?, _ argument: UnsafeMutableRawPointer? = nil
    ) -> gboolean {
        // The pointers do not change threads.
        nonisolated(unsafe) let (data, argument) = (data!, argument)
        return MainActor.assumeIsolated {
            Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue().run(argument).gboolean
        }
    }

    /// Connects the closure to a signal of an object.
    func connect(_ callback: GCallback, to signal: String, of sender: UnsafeMutableRawPointer) {
        g_signal_connect_data(
            sender, signal, callback, Unmanaged.passRetained(self).toOpaque(),
            { data, _ in Unmanaged<Handler>.fromOpaque(data!).release() }, GConnectFlags(rawValue: 0))
    }
}

private typealias Plain =
    @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> gboolean
private typealias WithArgument =
    @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> gboolean

private let plain: Plain = { _, data in Handler.run(data) }
private let withArgument: WithArgument = { _, argument, data in Handler.run(data, argument) }

/// Connections of closures to the signals of any GObject. A closure lives until the object is finalized: refer to a Swift
/// object that the widget keeps as `unowned`.
@MainActor
package enum Signals {
    /// Connects a signal without arguments, such as `clicked`.
    package static func connect(
        _ object: UnsafeMutableRawPointer, _ signal: String, _ run: @escaping @MainActor () -> Void
    ) {
        Handler { _ in
            run()
            return false
        }.connect(unsafeBitCast(plain, to: GCallback.self), to: signal, of: object)
    }

    /// Connects a signal with one argument that is a pointer, such as `response` or the item of `setup` and `bind`.
    package static func connect(
        _ object: UnsafeMutableRawPointer, withArgument signal: String,
        _ run: @escaping @MainActor (UnsafeMutableRawPointer?) -> Void
    ) {
        Handler { argument in
            run(argument)
            return false
        }.connect(unsafeBitCast(withArgument, to: GCallback.self), to: signal, of: object)
    }

    /// Connects a signal without arguments whose handler returns whether the event is handled, such as `close-request`.
    package static func connect(
        _ object: UnsafeMutableRawPointer, handling signal: String, _ run: @escaping @MainActor () -> Bool
    ) {
        Handler { _ in run() }.connect(unsafeBitCast(plain, to: GCallback.self), to: signal, of: object)
    }
}

@MainActor
extension Element {
    /// Runs a closure when the element is hidden, or removed while the window is hidden.
    func onEnd(_ run: @escaping @MainActor () -> Void) { on("unmap", run).on("unrealize", run) }

    /// Runs a closure at a signal without arguments, such as `clicked`, `changed` or `map`.
    @discardableResult
    package func on(_ signal: String, _ run: @escaping @MainActor () -> Void) -> Self {
        Signals.connect(widget, signal, run)
        return self
    }

    /// Runs a closure after a change of a property, such as `active` of a switch.
    @discardableResult
    package func on(property name: String, _ run: @escaping @MainActor () -> Void) -> Self {
        Signals.connect(widget, withArgument: "notify::" + name) { _ in run() }
        return self
    }

    /// Runs work while the widget is on the screen. The work is cancelled when the widget's page is left, and starts again
    /// when the page is shown again.
    @discardableResult
    package func whileShown(_ work: @escaping @MainActor () async -> Void) -> Self {
        var task: Task<Void, Never>?
        on("map") {
            task?.cancel()
            task = Task { await work() }
        }
        return on("unmap") { task?.cancel() }
    }
}
