import CAtspi
package import Foundation
import TestSupport

/// The running program `latch-desktop`, driven as a person with a screen reader does it: by roles and names.
///
/// Each command waits until the control is there, at most ``limit``. The accessible tree is polled, because GTK 4.8 sends
/// no event for many of its changes.
@Accessibility
package final class DesktopApp {
    /// How long a command waits before it fails. It follows the machine, because every command is expected to succeed.
    package static let limit = SuccessTimeout.duration

    /// The program.
    package nonisolated let program: ChildProgram
    let root: Node
    let folders: PersonFolders

    /// Starts the program and waits for its window. The tests of windows must not run at the same time, because there is one
    /// program for each session bus.
    ///
    /// - Parameters:
    ///   - folders: The folders of the person.
    ///   - arguments: The command line.
    ///   - isDark: Whether the system prefers dark colours.
    ///   - isHighContrast: Whether the system prefers high contrast.
    ///   - full: A folder that is a disk of 64 KiB for the program. Needs ``canMount``. Nil: none.
    ///   - additions: Additions to the environment.
    /// - Returns: The program, whose window has the keyboard focus.
    /// - Throws: ``DriverError``, with what the program printed.
    package static func launch(
        _ folders: PersonFolders, _ arguments: [String] = [], isDark: Bool = false, isHighContrast: Bool = false,
        full: URL? = nil, environment additions: [String: String] = [:]
    ) async throws -> DesktopApp {
        var environment = folders.environment.merging(additions) { $1 }
        environment["ADW_DEBUG_COLOR_SCHEME"] = isDark ? "prefer-dark" : "prefer-light"
        environment["ADW_DEBUG_HIGH_CONTRAST"] = isHighContrast ? "1" : "0"
        var command = [Programs.desktop] + arguments
        if let full {
            let script = "mount -t tmpfs -o size=64k tmpfs \"$0\" && exec \"$@\""
            command = ["/usr/bin/unshare"] + privileges + ["-m", "/bin/sh", "-c", script, full.path] + command
        }
        let program = try ChildProgram(
            command[0], Array(command.dropFirst()), environment: environment, folder: folders.root)
        let root = try await poll("The window of latch-desktop did not open.", detail: { program.errors }) {
            guard program.isRunning else { throw DriverError("latch-desktop ended: \(program.errors)") }
            return Accessibility.desktop.children.first { $0.processID == program.id && !$0.children.isEmpty }
        }
        root.disableCache()
        let app = DesktopApp(program, root, folders)
        try await app.focusWindow()
        return app
    }

    /// Options of `unshare` for the rights to mount a disk.
    private static let privileges = geteuid() == 0 ? [] : ["-c", "--keep-caps"]

    /// Whether the system lets a program have a disk of its own.
    package nonisolated static var canMount: Bool {
        get async {
            let arguments = await privileges + ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
            guard let folders = try? PersonFolders() else { return false }
            defer { withExtendedLifetime(folders) {} }
            let program = try? ChildProgram("/usr/bin/unshare", arguments, folder: folders.root)
            return await program?.exitCode() == 0
        }
    }

    private init(_ program: ChildProgram, _ root: Node, _ folders: PersonFolders) {
        (self.program, self.root, self.folders) = (program, root, folders)
    }

    // MARK: - What a person does

    /// Replaces the text of a field.
    package func type(_ text: String, into name: String) async throws {
        let field = try await find(.field, name, isUsable: true)
        guard field.setContent(text) else { throw failure("The field '\(name)' cannot be edited.") }
    }

    /// Presses a button when it is sensitive. GTK performs the click a quarter of a second later.
    ///
    /// - Parameters:
    ///   - name: The name of the button.
    ///   - row: The name of the row that has the button. Nil: the first button with the name.
    /// - Throws: ``DriverError`` when there is no such button.
    package func press(_ name: String, in row: String? = nil) async throws {
        try await press("'\(name)'", in: row) { $0 == name }
    }

    /// Presses the first button whose name contains a text, when it is sensitive.
    package func press(containing text: String) async throws {
        try await press("'…\(text)…'", in: nil) { $0.contains(text) }
    }

    private func press(
        _ title: String, in row: String?, roles: [Role] = [.button, .toggle],
        _ matches: @Accessibility (String) -> Bool
    ) async throws {
        let button = try await poll("No sensitive button is called \(title).") {
            let place = row.map { row in self.root.first { $0.role == Role.listItem.rawValue && $0.name == row } }
            // A dialog is the last window, and the others do not react while it is shown.
            return (place ?? self.root.children.last)?.first {
                roles.map(\.rawValue).contains($0.role) && matches($0.name)
                    && $0.has(ATSPI_STATE_SENSITIVE)
            }
        }
        guard button.activate() else { throw failure("The button \(title) has no action.") }
    }

    /// Opens the page of a row, with the button in the row.
    ///
    /// A click would need the place of the row, which is not known until the next frame after its page appeared.
    package func open(_ row: String) async throws { try await press(row, in: row) }

    /// Clicks on the control with a role and a name that contains a text, with the pointer.
    ///
    /// - Parameters:
    ///   - role: The role.
    ///   - text: A part of the name.
    ///   - key: A key that is held, such as `shift`. Nil: none.
    /// - Throws: ``DriverError`` when there is no such control.
    package func click(_ role: Role, containing text: String, holding key: String? = nil) async throws {
        let place = try await poll("No \(role) contains '\(text)' in the window.") {
            self.root.first { $0.role == role.rawValue && $0.name.contains(text) && $0.frame != nil }?.frame?.centre
        }
        if let key { try await run("xdotool", ["keydown", key]) }
        try await click(place)
        if let key { try await run("xdotool", ["keyup", key]) }
    }

    /// Presses the button of the pointer on a button of a row, and holds it until ``releasePointer()``.
    package func holdPointer(on name: String, in row: String) async throws {
        let place = try await poll("No button '\(name)' is in '\(row)'.") {
            self.root.first { $0.role == Role.listItem.rawValue && $0.name == row }?
                .first { $0.role == Role.button.rawValue && $0.name == name }?.frame?.centre
        }
        try await run(
            "xdotool", ["mousemove", "--window", windowID(), "\(place.x)", "\(place.y)", "mousedown", "1"])
    }

    /// Releases the button of the pointer.
    package func releasePointer() async throws { try await run("xdotool", ["mouseup", "1"]) }

    /// Chooses a value of a row with the keyboard, which moves by a number of values.
    package func choose(_ value: String, in row: String, down count: Int) async throws {
        let place = try await find(.comboBox, row).frame?.centre
        guard let place else { throw failure("The row '\(row)' is not in the window.") }
        try await click(place)
        try await poll("The values of '\(row)' are not shown.") {
            self.root.first { $0.role == Role.label.rawValue && $0.name == value }
        }
        for _ in 0..<count { try await press(keys: "Down") }
        try await press(keys: "Return")
    }

    /// Clicks into a field, replaces its text and presses Return.
    package func enter(_ text: String, into name: String) async throws {
        guard let place = try await find(.field, name).frame?.centre else {
            throw failure("The field '\(name)' is not in the window.")
        }
        try await click(place)
        try await type(text, into: name)
        try await press(keys: "Return")
    }

    /// Chooses an entry of the main menu with the keyboard.
    package func choose(menu entry: String) async throws {
        try await press(keys: "F10")
        try await press("'\(entry)'", in: nil, roles: [.menuItem]) { $0 == entry }
    }

    private func click(_ place: (x: Int, y: Int)) async throws {
        try await run("xdotool", ["mousemove", "--window", windowID(), "\(place.x)", "\(place.y)", "click", "1"])
    }

    /// Presses a button of the dialog that is open, and waits until the dialog is closed.
    package func answer(_ name: String) async throws {
        // libadwaita 1.2 names these buttons by their text twice.
        let button = try await poll("No dialog has a button called '\(name)'.") {
            self.dialog?.first {
                $0.role == Role.button.rawValue && $0.children.contains { $0.name == name }
            }
        }
        guard button.activate() else { throw failure("The button '\(name)' has no action.") }
        _ = try await poll("The dialog is still open.") { self.dialog == nil ? true : nil }
    }

    /// Presses keys, such as `Return`, `Tab`, `alt+Left` or `ctrl+q`, in the window.
    package func press(keys: String...) async throws {
        try await focusWindow()
        for key in keys { try await run("xdotool", ["key", key]) }
    }

    /// Types text with the keyboard where the focus is.
    package func type(keys text: String) async throws {
        try await focusWindow()
        try await run("xdotool", ["type", text])
    }

    /// Types text with the keyboard and presses Return in a dialog with a window of its own, such as a chooser of files.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - title: A part of the title of the dialog, as a regular expression.
    /// - Throws: ``DriverError`` when there is no such dialog.
    package func enter(_ text: String, inDialog title: String) async throws {
        try await run("xdotool", ["windowfocus", "--sync", windowID(ofDialog: title), "type", text])
        try await run("xdotool", ["key", "Return"])
    }

    /// Closes a dialog with a window of its own with Escape, and waits until it is closed.
    package func close(dialog title: String) async throws {
        try await run("xdotool", ["windowfocus", "--sync", windowID(ofDialog: title), "key", "Escape"])
        try await waitUntilGone(.frame, title)
    }

    /// Sets the size of the window in pixels, with the shadow that GTK draws around it.
    package func resize(_ width: Int, _ height: Int) async throws {
        try await run("xdotool", ["windowsize", "--sync", windowID(), "\(width)", "\(height)"])
        // The display has the new size before GTK has laid out the window again.
        _ = try await poll("The window is still wider than \(width) pixels.") {
            self.root.first { $0.role == Role.frame.rawValue }?.frame.map { $0.width <= width } == true ? true : nil
        }
    }

    /// Takes the window from the display, as a minimized window is not drawn, until `body` has ended.
    package func whileHidden(_ body: @Accessibility () async throws -> Void) async throws {
        let id = try await windowID()
        try await run("xdotool", ["windowunmap", "--sync", id])
        try await body()
        try await run("xdotool", ["windowmap", "--sync", id])
    }

    // MARK: - The program

    /// Runs an action of the application by the bus, as the desktop does it.
    ///
    /// - Parameters:
    ///   - action: The name of the action, such as `settings`.
    ///   - bus: The bus of the program.
    /// - Throws: ``DriverError`` when the program does not respond.
    package func activate(_ action: String, on bus: SessionBus) async throws {
        let id = "io.github.latchstring.Latchstring"
        let tool = try ChildProgram(
            "/usr/bin/gdbus",
            [
                "call", "--session", "--dest", id, "--object-path", "/" + id.replacing(".", with: "/"),
                "--method", "org.freedesktop.Application.ActivateAction", action, "[]", "{}",
            ], environment: bus.environment, folder: folders.root)
        guard await tool.exitCode() == 0 else { throw failure("The action \(action) failed: \(tool.errors)") }
    }

    /// Closes the window with the keyboard's shortcut and returns the exit code of the program.
    package func close() async throws -> Int32 {
        // Without a window manager nothing has the focus after a dialog.
        try await run("xdotool", ["windowfocus", "--sync", windowID(), "key", "ctrl+q"])
        return await program.exitCode()
    }

    /// Waits until something has ended the program.
    package func waitForEnd() async throws {
        try await Self.poll("latch-desktop still runs.", detail: { self.tree() }) {
            self.program.isRunning ? nil : true
        }
    }

    // MARK: -

    /// Gives the keyboard focus to the window, because there is no window manager that does it for a new window and after a
    /// dialog.
    private func focusWindow() async throws {
        try await run("xdotool", ["windowfocus", windowID()])
    }

    private var dialog: Node? { root.first { $0.role == "dialog" } }

    func find(_ role: Role, _ name: String, isUsable: Bool = false) async throws -> Node {
        try await poll("No \(role) is called '\(name)'.") {
            self.root.first {
                $0.role == role.rawValue && $0.name == name && (!isUsable || $0.has(ATSPI_STATE_SENSITIVE))
            }
        }
    }

    @discardableResult
    func poll<Value>(_ message: String, _ body: @Accessibility () throws -> Value?) async throws -> Value {
        try await Self.poll(message, detail: { self.tree() }) {
            guard self.program.isRunning else { throw DriverError("latch-desktop ended. \(message)") }
            return try body()
        }
    }

    func failure(_ message: String) -> DriverError { DriverError("\(message)\n\(tree())") }

    @discardableResult
    private static func poll<Value>(
        _ message: String, detail: @Accessibility () -> String, _ body: @Accessibility () throws -> Value?
    ) async throws -> Value {
        let start = ContinuousClock.now
        while true {
            if let value = try body() { return value }
            guard ContinuousClock.now - start < limit else { throw DriverError("\(message)\n\(detail())") }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    func windowID() async throws -> String {
        let search = try ChildProgram(
            "/usr/bin/xdotool", ["search", "--sync", "--onlyvisible", "--pid", "\(program.id)"],
            folder: folders.root)
        guard let id = await search.firstLine() else { throw failure("The window is not on the display.") }
        return id
    }

    func windowID(ofDialog title: String) async throws -> String {
        let search = try ChildProgram(
            "/usr/bin/xdotool", ["search", "--sync", "--onlyvisible", "--name", title], folder: folders.root)
        guard let id = await search.firstLine() else { throw failure("No dialog is called '\(title)'.") }
        return id
    }

    func run(_ name: String, _ arguments: [String]) async throws {
        let tool = try ChildProgram("/usr/bin/\(name)", arguments, folder: folders.root)
        guard await tool.exitCode() == 0 else { throw failure("\(name) \(arguments) failed: \(tool.errors)") }
    }
}
