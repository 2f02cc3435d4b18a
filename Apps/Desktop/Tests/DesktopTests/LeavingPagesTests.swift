import DesktopDriver
import Foundation
import Testing

extension WindowTests {
    /// Work of a page that ends while another page is above it.
    @Suite("Pages that leave by themselves")
    struct LeavingPagesTests {
        @Test("IM-12 a password that is changed while another page is open leaves its own page, and not that one")
        func password() async throws {
            try await withHeldServer { app, server in
                try await app.open("Change password")
                try await app.type("a password", into: "Current password")
                try await app.type("a new password of Eve", into: "New password")
                try await app.type("a new password of Eve", into: "Repeat the new password")
                server.hold()
                try await app.press("Change password")
                await server.waitUntilHeld()
                try await app.choose(menu: "Logs")
                try await app.wait(for: .button, "Clear")
                server.release()
                try await requireAccountBelowLogs(app)
            }
        }

        @Test("IM-16 a connection that is saved while another page is open leaves its own page, and not that one")
        func connection() async throws {
            try await withHeldServer { app, server in
                try await app.open("Connection")
                try await app.type("X-Key", into: "Name")
                try await app.type("a value", into: "Value")
                try await app.press("Add header field")
                try await app.wait(for: .listItem, "X-Key")
                server.hold()
                try await app.press("Save")
                await server.waitUntilHeld()
                try await app.choose(menu: "Logs")
                try await app.wait(for: .button, "Clear")
                server.release()
                try await requireAccountBelowLogs(app)
            }
        }

        /// Checks that the log stays, and that the page below it is that of the account.
        @Accessibility
        private func requireAccountBelowLogs(_ app: DesktopApp) async throws {
            // The log has an entry at the end of the work, or one of the sign-in.
            try await app.press("Clear")
            try await app.wait(for: .label, "No operations with servers were recorded.")
            try await app.press("Back")
            try await app.wait(for: .listItem, "Sessions")
        }

        private func withHeldServer(
            _ body: @Accessibility (DesktopApp, HeldResponses) async throws -> Void
        ) async throws {
            let held = HeldResponses()
            let server = try ScriptedServer { method, path in
                held.wait()
                return method != "GET" && path.contains("password")
                    ? .json(
                        "{\"id\":\"1\",\"email\":\"eve@example.org\",\"name\":\"Eve\",\"isAdmin\":false,"
                            + "\"profileImagePath\":\"\",\"shouldChangePassword\":false}")
                    : HostileServerTests.response("Eve", to: path)
            }
            defer { server.stop() }
            let folders = try PersonFolders()
            let login = try await folders.latch(
                "login", server.address, "--email", "eve@example.org", "--password-stdin", input: "a password\n")
            try #require(login.code == 0, "\(login.errors)")
            try await withApp(folders) { @Accessibility app, _ in
                try await app.wait(for: .label, "eve@example.org")
                try await app.open("This account")
                try await app.wait(for: .listItem, "Sessions")
                try await body(app, held)
            }
        }
    }
}
