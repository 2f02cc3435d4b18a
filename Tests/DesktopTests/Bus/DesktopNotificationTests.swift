import Desktop
import Foundation
import TestSupport
import Testing

/// What the desktop is told, over a real bus.
@Suite(.timeLimit(.minutes(20))) struct DesktopNotificationTests {
    private func notification(_ desktop: MockDesktop) -> DesktopNotification {
        DesktopNotification(desktop.environment, name: "downloads")
    }

    private func notifies(_ desktop: MockDesktop) -> [String] {
        desktop.calls(.notifications).filter { $0.contains(" Notify ") }
    }

    @Test("DL-15 progress updates one notification, at most once a second, and the end is a new one")
    func progress() async throws {
        let desktop = try await MockDesktop(.notifications)
        let notification = notification(desktop)

        await notification.update(.init(title: "Downloading 3 items…", progress: 0))
        for percent in 1...1000 {
            await notification.update(.init(title: "Downloading 3 items…", progress: percent / 10))
        }
        await notification.finish(.init(title: "Download complete", body: "3 items"))
        try await desktop.call(.notifications) { $0.contains("Download complete") }

        let calls = notifies(desktop)
        let first = try #require(calls.first)
        #expect(first.contains(#"Notify "Latchstring" 0 "#) && first.contains(#""Downloading 3 items…""#))
        #expect(first.contains(#""value": 0"#) && first.contains(#""urgency": 0"#) && first.hasSuffix(" 0"))
        #expect(calls.count < 100)
        let last = try #require(calls.last)
        #expect(last.contains(#"Notify "Latchstring" 1 "#) && last.contains(#""3 items""#) && last.hasSuffix(" -1"))
        #expect(!last.contains(#""value""#))
    }

    @Test("DL-16 a persistent notification stays, and becomes persistent at once")
    func persistent() async throws {
        let desktop = try await MockDesktop(.notifications)
        let notification = notification(desktop)

        await notification.update(.init(title: "Downloading 1 item…", progress: 1))
        await notification.update(.init(title: "Downloading 1 item…", progress: 1, isPersistent: true))
        let line = try await desktop.call(.notifications) { $0.contains("resident") }

        #expect(line.contains(#""resident": True"#) && line.contains(#""urgency": 1"#) && line.hasSuffix(" 0"))
        #expect(line.contains(#"Notify "Latchstring" 1 "#))
        await notification.close()
        try await desktop.call(.notifications) { $0.contains("CloseNotification 1") }
    }

    @Test("A notification that the person has closed is not shown again, but the end is")
    func dismissed() async throws {
        let desktop = try await MockDesktop(.notifications)
        let notification = notification(desktop)

        await notification.update(.init(title: "Downloading 1 item…"))
        try await desktop.dismiss(1)
        await notification.update(.init(title: "Downloading 1 item…", progress: 50, isPersistent: true))
        #expect(notifies(desktop).count == 1)
        await notification.finish(.init(title: "Download complete"))

        let last = try await desktop.call(.notifications) { $0.contains("Download complete") }
        #expect(last.contains(#"Notify "Latchstring" 0 "#))
        #expect(notifies(desktop).count == 2)
    }

    /// The environment of a desktop on which the app is installed.
    private func withApp(_ desktop: MockDesktop, _ folder: TemporaryDirectory) throws -> [String: String] {
        let services = folder.file("dbus-1/services")
        try FileManager.default.createDirectory(atPath: services, withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: services + "/io.github.latchstring.Latchstring.service"))
        return desktop.environment.merging(["XDG_DATA_DIRS": folder.path]) { $1 }
    }

    @Test("DL-15 a click on the notification of a running download shows the downloads in the app")
    func click() async throws {
        let (desktop, folder) = (try await MockDesktop(.notifications, .app), try TemporaryDirectory())
        let notification = DesktopNotification(try withApp(desktop, folder), name: "downloads")
        await notification.update(.init(title: "Downloading 1 item…"))
        let line = try await desktop.call(.notifications) { $0.contains(" Notify ") }
        #expect(line.contains(#"["default", "Show downloads"]"#), "\(line)")
        #expect(line.contains(#""desktop-entry": "io.github.latchstring.Latchstring""#))
        try await desktop.click(1)
        await notification.update(.init(title: "Downloading 1 item…", isPersistent: true))
        let call = try await desktop.call(.app) { $0.contains("ActivateAction") }
        #expect(call.contains(#"ActivateAction "show-downloads""#), "\(call)")
    }

    @Test("DL-15 the app gets the actions of the last notification, also after this program has ended")
    func actions() async throws {
        let desktop = try await MockDesktop(.notifications, .appNotifications)
        let folder = try TemporaryDirectory()
        let notification = DesktopNotification(try withApp(desktop, folder), name: "downloads")
        await notification.update(.init(title: "Downloading 2 items…"))
        await notification.finish(
            .init(
                title: "Download complete", body: "1 item saved to gallery, 1 failed",
                actions: [(.openFolder, title: "Open folder"), (.showDownloads, title: "Show failures")]))
        let line = try await desktop.call(.appNotifications) { $0.contains("AddNotification") }
        for part in [
            #""io.github.latchstring.Latchstring" "downloads""#, #""title": "Download complete""#,
            #""default-action": "app.show-downloads""#, #""action": "app.open-folder""#, #""label": "Show failures""#,
        ] { #expect(line.contains(part), "\(part): \(line)") }
        try await desktop.call(.notifications) { $0.contains("CloseNotification 1") }
        #expect(notifies(desktop).count == 1)
    }

    @Test("A file's name is shown unchanged and never as markup")
    func markup() async throws {
        let desktop = try await MockDesktop(.notifications)
        await notification(desktop).finish(.init(title: "Download complete", body: "<b>A&B</b>.jpg"))
        try await desktop.call(.notifications) { $0.contains("&lt;b&gt;A&amp;B&lt;/b&gt;.jpg") }
    }

    @Test(
        "Without a bus or a service, or if the bus does not respond, nothing happens",
        arguments: ["", "silent", "empty"])
    func withoutService(_ kind: String) async throws {
        let unavailable = try await UnavailableDesktop(kind)
        let notification = DesktopNotification(unavailable.environment, name: "downloads")
        await notification.update(.init(title: "Downloading 1 item…"))
        await notification.finish(.init(title: "Download complete"))
        await notification.close()

        let inhibitor = SleepInhibitor(unavailable.environment, mode: .block)
        await inhibitor.hold("a test")
        #expect(await inhibitor.isHeld == false)
        await inhibitor.release()

        var states = NetworkWatch(unavailable.environment).states.makeAsyncIterator()
        #expect(await states.next() == .unwatched)
    }
}

/// A machine that has no desktop, in one of three ways.
private struct UnavailableDesktop {
    let environment: [String: String]
    private let folder: TemporaryDirectory
    private var silentSocket: SilentLocalSocket?
    private var desktop: MockDesktop?

    init(_ kind: String) async throws {
        folder = try TemporaryDirectory()
        var address = "unix:path=" + folder.file("bus")
        switch kind {
        case "silent": silentSocket = try SilentLocalSocket(folder.file("bus"))
        case "empty":
            let empty = try await MockDesktop()
            desktop = empty
            address = empty.environment["DBUS_SESSION_BUS_ADDRESS"] ?? ""
        default: break
        }
        environment = ["DBUS_SESSION_BUS_ADDRESS": address, "DBUS_SYSTEM_BUS_ADDRESS": address]
    }
}
