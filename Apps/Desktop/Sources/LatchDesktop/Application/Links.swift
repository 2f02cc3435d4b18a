import CAdwaita
import LatchKit
import Widgets

/// Links with which a browser returns from a sign-in, such as `onyx://auth/callback?…`.
@MainActor
enum Links {
    /// Runs a closure with the links that the desktop passes to the application.
    static func onOpen(
        _ application: UnsafeMutablePointer<GtkApplication>, _ run: @escaping @MainActor ([String]) -> Void
    ) {
        typealias Callback =
            @convention(c) (
                UnsafeMutableRawPointer?, UnsafeMutablePointer<OpaquePointer?>?, gint, UnsafePointer<CChar>?,
                UnsafeMutableRawPointer?
            ) -> Void
        let callback: Callback = { _, files, count, _, data in
            let links = (0..<Int(count)).compactMap { index -> String? in
                guard let uri = g_file_get_uri(files?[index]) else { return nil }
                defer { g_free(uri) }
                return String(cString: uri)
            }
            // GTK emits the signal on the main thread, so the pointer does not change threads.
            nonisolated(unsafe) let data = data!
            MainActor.assumeIsolated { Unmanaged<Receiver>.fromOpaque(data).takeUnretainedValue().run(links) }
        }
        g_signal_connect_data(
            application, "open", unsafeBitCast(callback, to: GCallback.self),
            Unmanaged.passRetained(Receiver(run)).toOpaque(),
            { data, _ in Unmanaged<Receiver>.fromOpaque(data!).release() }, GConnectFlags(rawValue: 0))
    }

    /// Gives links to the sign-ins that wait for them, in this program or in another one.
    ///
    /// - Returns: An error for each link that no sign-in waits for.
    @concurrent
    static func deliver(_ links: [String]) async -> [any Error] {
        links.compactMap { link in
            do {
                try CallbackLink(link).deliver(folders: Folders())
                return nil
            } catch {
                return error
            }
        }
    }

    @MainActor
    private final class Receiver {
        let run: @MainActor ([String]) -> Void

        init(_ run: @escaping @MainActor ([String]) -> Void) { self.run = run }
    }
}
