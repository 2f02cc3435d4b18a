import DesktopDriver
import Foundation
import TestSupport
import Testing

/// All tests of windows. One runs at a time, because a session bus and a display have one program and one focus.
@Suite(.serialized, .timeLimit(.minutes(5)))
enum WindowTests {}

/// Runs the program for a person, and closes its window afterwards.
@Accessibility
func withApp(
    _ folders: PersonFolders? = nil, isDark: Bool = false, isHighContrast: Bool = false, full: URL? = nil,
    _ body: @Accessibility (DesktopApp, PersonFolders) async throws -> Void
) async throws {
    let folders = try folders ?? PersonFolders()
    let app = try await DesktopApp.launch(folders, isDark: isDark, isHighContrast: isHighContrast, full: full)
    do {
        try await body(app, folders)
    } catch {
        await app.program.end(SIGKILL)
        // A crash, or warnings of GTK, may be the cause.
        if !app.program.errors.isEmpty { Issue.record("latch-desktop wrote: \(app.program.errors.suffix(4_000))") }
        throw error
    }
    #expect(try await app.close() == 0)
}

/// Runs a sandbox, and ends it afterwards.
func withSandbox(_ body: (RunningSandbox) async throws -> Void) async throws {
    let sandbox = try await RunningSandbox()
    do {
        try await body(sandbox)
    } catch {
        await sandbox.stop()
        throw error
    }
    await sandbox.stop()
}

@Accessibility
extension DesktopApp {
    /// Enters the address of a server and waits for the second step.
    func connect(to address: String) async throws {
        try await type(address, into: "Server URL")
        try await press("Next")
        try await wait(for: .heading, String(address.dropFirst("http://".count)))
    }

    /// Signs in with a password, and waits for the app.
    func signIn(_ email: String, _ sandbox: RunningSandbox, _ dialect: String) async throws {
        try await connect(to: sandbox.addresses[dialect]!)
        try await type(email, into: "Email")
        try await type(sandbox.passwords[email]!, into: "Password")
        try await press("Login")
        try await wait(for: .label, email)
    }
}
