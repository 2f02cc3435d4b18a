import CAdwaita
import LatchKit
import LatchScreens
import MainLoop
import Widgets

/// The program: one window, which links and further starts of the program also reach.
@MainActor
public final class DesktopApplication {
    /// The id of the application, which D-Bus, the desktop entry and the icons share.
    package static let id = "io.github.latchstring.Latchstring"

    private let application: UnsafeMutablePointer<GtkApplication>
    private let screen = AppScreen()
    private var window: MainWindow?
    private var router: Router?
    /// Whether the work of the screens is ending, after which the program ends.
    private var isStopping = false
    /// Whether the window was asked for while the work of the screens was ending.
    private var isWanted = false

    /// Runs the program until its window is closed. Call it on the main thread, from a synchronous `main()`.
    ///
    /// - Parameter arguments: The command line, with the name of the program.
    /// - Returns: The exit code: 0, 64 for an invalid command line, 69 without a display.
    public static func run(_ arguments: [String]) -> Int32 {
        switch CommandLineArguments(Array(arguments.dropFirst())) {
        case .print(let text):
            print(text)
            return 0
        case .invalid(let sentence):
            return fail(sentence, 64)
        case .window:
            g_set_prgname(id)
            g_set_application_name(AppScreen.Text.name)
            guard gtk_init_check() != 0 else {
                return fail("There is no display for a window. Set WAYLAND_DISPLAY or DISPLAY, or use 'latch'.", 69)
            }
            MainLoop.attach()
            return DesktopApplication().run(arguments)
        }
    }

    private init() {
        application = adw_application_new(Self.id, G_APPLICATION_HANDLES_OPEN).cast()
        // A program without a window, which the bus started for an action, stays until the action has had its effect.
        g_application_set_inactivity_timeout(application.cast(), 10_000)
        Signals.connect(application, "startup") { [unowned self] in addActions() }
        Signals.connect(application, "activate") { [unowned self] in showWindow() }
        Links.onOpen(application) { [unowned self] links in
            showWindow()
            deliver(links)
        }
    }

    private func run(_ arguments: [String]) -> Int32 {
        var arguments = arguments.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        let status = g_application_run(application.cast(), Int32(arguments.count), &arguments)
        g_object_unref(application)
        return status
    }

    private static func fail(_ sentence: String, _ status: Int32) -> Int32 {
        let line = "latch-desktop: \(sentence)\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
        return status
    }

    private func showWindow() {
        if isStopping {
            isWanted = true
            return
        }
        if let window { return window.present() }
        let window = MainWindow(application) { [unowned self] in
            screen.returnToForeground()
        } closed: { [unowned self] in
            stop()
        }
        self.window = window
        router = Router(screen, window.pages)
        window.present()
        screen.start()
    }

    /// Ends the work of the screens, and then the program, unless it was started again meanwhile. The window is hidden
    /// already.
    private func stop() {
        guard !isStopping else { return }
        isStopping = true
        Task {
            await screen.stop()
            isStopping = false
            guard isWanted else { return g_application_quit(application.cast()) }
            isWanted = false
            window?.present()
            screen.start()
        }
    }

    /// Gives links to the sign-ins that wait for them. Other programs can send any number, so there is one message.
    private func deliver(_ links: [String]) {
        Task {
            let errors = await Links.deliver(links)
            if let message = AppScreen.Text.unexpectedLinks(errors) { window?.show(toast: message) }
        }
    }

    /// Locks the app, or shows where the lock is set.
    private func lock() {
        if screen.canLock {
            do { try screen.lock() } catch { report(error) }
        } else if screen.lockSettings() != nil {
            router?.open(.settings)
            window?.show(toast: LockSettingsScreen.Text.missing)
        }
    }

    /// Opens the folder of the downloads. Needs no window, because a notification may call it.
    private func openFolder() {
        g_application_hold(application.cast())
        Task {
            defer { g_application_release(application.cast()) }
            do {
                Launcher.open(try await screen.downloadFolder(), from: nil)
            } catch {
                showWindow()
                report(error)
            }
        }
    }

    private func report(_ error: any Error) {
        window?.show(toast: ScreenError(error).message)
    }

    private func addActions() {
        gtk_window_set_default_icon_name(Self.id)
        let actions = Actions(OpaquePointer(application))
        actions.add("about") { [unowned self] in window?.showAbout() }
        actions.add("lock") { [unowned self] in lock() }
        actions.add("sign-in-again") { [unowned self] in screen.signInAgain() }
        actions.add("quit") { [unowned self] in window?.close() }
        actions.add("show-downloads") { [unowned self] in
            showWindow()
            router?.openWhenReady(.downloads)
        }
        actions.add("open-folder") { [unowned self] in openFolder() }
        for route in Router.Route.allCases {
            actions.add(route.rawValue) { [unowned self] in router?.open(route) }
        }
        actions.set(shortcuts: ["<Control>comma"], of: "app.settings", in: application)
        actions.set(shortcuts: ["<Control>q"], of: "app.quit", in: application)
        actions.set(shortcuts: ["<Control>w"], of: "window.close", in: application)
        actions.set(shortcuts: ["<Alt>Left"], of: "win.back", in: application)
    }
}
