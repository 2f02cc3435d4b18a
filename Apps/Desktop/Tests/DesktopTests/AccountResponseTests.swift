import DesktopDriver
import Foundation
import Testing

extension WindowTests {
    /// Responses to the pages of an account that are late, failures or hostile.
    @Suite("Responses to the pages of an account", .sandbox)
    struct AccountResponseTests {
        /// A page of the account, and what it asks its server for.
        private struct Subpage {
            var row: String
            var path: String
            /// What the page shows when it is complete.
            var content: (role: Role, name: String)
        }

        private static let pages = [
            Subpage(row: "Sessions", path: "/api/sessions", content: (.label, "This device")),
            Subpage(row: "PIN of the locked folder", path: "/api/auth/status", content: (.button, "Set PIN")),
        ]
        private static let failure = ScriptedServer.Response.json("{\"message\":\"Internal\"}", status: 500)

        @Test("IM-16 RM-2 IM-11 a response after Back, after a switch of the account or a sign-out changes nothing")
        func late() async throws {
            try await withGate { app, folders, server, sandbox in
                for (page, response) in zip(Self.pages, [nil, Self.failure]) {
                    server.set(.hold(response), for: page.path)
                    try await app.open(page.row)
                    try await server.waitUntilHeld()
                    try await app.press("Back")
                    try await app.wait(for: .listItem, "Sessions")
                    try await server.open()
                    try await app.open(page.row)
                    try await app.wait(for: page.content.role, page.content.name)
                    try await leave(app)
                }
                try await leaveEarly(app, server)

                try await folders.signIn("bob@example.org", sandbox, "onyx")
                try await app.wait(for: .label, "bob@example.org")
                for act in ["Switch", "Sign out"] {
                    try await app.press("Accounts")
                    try await app.press(containing: "Switch to this account: ada@example.org")
                    try await app.wait(for: .label, "ada@example.org")
                    try await app.open("This account")
                    server.set(.hold(act == "Switch" ? nil : Self.failure), for: "/api/sessions")
                    try await app.open("Sessions")
                    try await server.waitUntilHeld()
                    try await app.choose(menu: "Accounts")
                    if act == "Switch" {
                        try await app.press(containing: "Switch to this account: bob@example.org")
                    } else {
                        try await app.press("Sign out", in: "Ada Lovelace")
                        try await app.wait(for: .label, "Sign out?")
                        try await app.answer("Sign out")
                        try await app.waitUntilGone(.listItem, "Ada Lovelace")
                    }
                    try await app.wait(for: .label, "bob@example.org")
                    try await server.open()
                    try await app.open("This account")
                    try await app.wait(for: .listItem, "Addresses")
                    #expect(app.names(of: .alert) == [])
                    try await app.press("Back")
                    try await app.wait(for: .label, "bob@example.org")
                }
            }
        }

        /// Commands of an account that are left before their response.
        @Accessibility
        private func leaveEarly(_ app: DesktopApp, _ server: GatedServer) async throws {
            try await app.open("Addresses")
            try await app.wait(forSensitive: "Test addresses")
            server.set(.hold(Self.failure), for: "/api/users/me")
            try await app.press("Test addresses")
            try await server.waitUntilHeld()
            try await app.press("Back")
            try await app.wait(for: .listItem, "Sessions")
            try await server.open()
            try await app.open("Addresses")
            try await app.wait(forSensitive: "Test addresses")
            #expect(app.names(of: .label).contains("Can be used") == false)
            try await leave(app)

            try await app.open("Connection")
            try await app.wait(forSensitive: "Save")
            try await app.type("X-Late", into: "Name")
            try await app.type("a value", into: "Value")
            try await app.press("Add header field")
            try await app.wait(for: .listItem, "X-Late")
            server.set(.hold(), for: "/api/")
            try await app.press("Save")
            try await server.waitUntilHeld()
            try await app.press("Back")
            try await app.wait(for: .listItem, "Sessions")
            try await server.open()
            try await app.open("Connection")
            try await app.wait(forSensitive: "Save")
            #expect(app.names(of: .listItem).contains("X-Late") == false)
            try await leave(app)

            try await app.open("Change password")
            try await app.type("not the current one", into: "Current password")
            try await app.type("a new password of Ada", into: "New password")
            try await app.type("a new password of Ada", into: "Repeat the new password")
            server.set(.hold(Self.failure), for: "/api/auth/change-password")
            try await app.press("Change password")
            try await server.waitUntilHeld()
            try await app.press("Back")
            try await app.wait(for: .listItem, "Sessions")
            try await server.open()
            try await app.open("Change password")
            try await app.wait(forText: "", in: "Current password")
            try await leave(app)
        }

        @Test("IM-12 IM-15 IM-16 OX-14 each page of an account says what failed and what to do, and Retry succeeds")
        func failures() async throws {
            try await withGate { app, folders, server, sandbox in
                for page in Self.pages {
                    for (rule, reason) in [(GatedServer.Rule.respond(Self.failure), "Try again"), (.close, "again")] {
                        server.set(rule, for: page.path)
                        try await app.open(page.row)
                        try await app.wait(for: .alert, containing: reason)
                        #expect(!app.isVisible(page.content.role, page.content.name))
                        try await server.open()
                        try await app.press("Retry")
                        try await app.wait(for: page.content.role, page.content.name)
                        try await leave(app)
                    }
                }
                try await app.open("Addresses")
                server.set(.respond(Self.failure), for: "/api/users/me")
                try await app.wait(forSensitive: "Test addresses")
                try await app.press("Test addresses")
                try await app.wait(for: .label, containing: "Try again")
                try await server.open()
                try await app.wait(forSensitive: "Test addresses")
                try await app.press("Test addresses")
                try await app.wait(for: .label, containing: "Can be used")
                try await leave(app)

                try await app.open("Connection")
                try await app.wait(forSensitive: "Save")
                try await app.type("ftp://proxy:1", into: "Proxy")
                try await app.press("Save")
                try await app.wait(for: .alert, containing: "Write it as 'http://host:port'")
                try await app.wait(forMark: "Proxy")
                try await app.type("", into: "Proxy")
                server.set(.close, for: "/api/")
                try await app.type("X-Key", into: "Name")
                try await app.type("a value", into: "Value")
                try await app.press("Add header field")
                try await app.wait(for: .listItem, "X-Key")
                try await app.press("Save")
                try await app.wait(for: .alert, containing: "again")
                try await server.open()
                try await app.press("Back")
                try await app.wait(for: .heading, "Ada Lovelace")

                try await app.open("Change password")
                server.set(.respond(Self.failure), for: "/api/auth/change-password")
                for (new, reason) in [("short", "at least"), ("a new password of Ada", "Try again")] {
                    try await app.type("not the current one", into: "Current password")
                    try await app.type(new, into: "New password")
                    try await app.type(new, into: "Repeat the new password")
                    try await app.press("Change password")
                    try await app.wait(for: .alert, containing: reason)
                    try await app.wait(forText: "", in: "New password")
                    if new == "short" { try await requireFocus("New password", app) }
                }
                try await server.open()
                try await app.type("not the current one", into: "Current password")
                try await app.type("a new password of Ada", into: "New password")
                try await app.type("a new password of Ada", into: "Repeat the new password")
                try await app.press("Change password")
                try await app.wait(for: .alert, containing: "not your current password")
                try await requireFocus("Current password", app)
                try await leave(app)

                let other = try PersonFolders()
                try await other.signIn("ada@example.org", sandbox, "immich")
                #expect(try await other.latch("sessions", "revoke", "--others").code == 0)
                try await app.open("Sessions")
                try await app.wait(for: .field, "Password")
                try await app.wait(for: .label, containing: "You were signed out because")
                #expect(try await folders.latch("whoami").code == 77)
            }
        }

        @Test("RM-8 RM-9 IM-16 the keys: a failure and Retry, a late response, and hostile names in 360 pixels")
        func keys() async throws {
            let sandbox = try #require(SandboxTrait.sandbox)
            let server = try GatedServer(forwardingTo: sandbox.addresses["relate-mail"]!)
            let folders = try PersonFolders()
            try folders.addBrowser("ada@example.org", sandbox)
            let login = try await folders.latch("login", server.address, "--browser")
            try #require(login.code == 0, "\(login.errors)")
            let email = HostileServerTests.long
            _ = try await folders.sql("UPDATE accounts SET user_email = '\(email)'")
            try await withApp(folders) { @Accessibility app, _ in
                try await app.wait(for: .label, containing: "<b>Eve</b> &amp;\u{FFFD}second line <a href")
                try await app.resize(360, 700)
                try app.requireFit(360)
                try await app.press("Accounts")
                try await app.press("Sign out")
                try await app.wait(for: .label, containing: " as <b>Eve</b> &amp;\u{FFFD}second line <a href")
                try app.requireFit(360)
                try await app.answer("Cancel")
                try await app.press("Back")
                try await app.open("This account")
                for response in [nil, Self.failure] {
                    server.set(.hold(response), for: "/api/smtp-credentials")
                    try await app.open("API keys")
                    try await server.waitUntilHeld()
                    try await app.press("Back")
                    try await app.wait(for: .listItem, "API keys")
                    try await server.open()
                    server.set(.respond(Self.failure), for: "/api/smtp-credentials")
                    try await app.open("API keys")
                    try await app.wait(for: .alert, containing: "Try again later")
                    try app.requireFit(360)
                    try await server.open()
                    try await app.press("Retry")
                    try await app.wait(for: .listItem, containing: "latch on")
                    try await leave(app)
                }
                let name = HostileServerTests.quoted(HostileServerTests.long)
                let key = """
                    {"id":"1","name":\(name),"scopes":[\(name)],"isActive":true,"createdAt":"2026-01-01T00:00:00Z"}
                    """
                server.set(.respond(.json("{\"keys\":[\(key)],\"total\":1}")), for: "/api/smtp-credentials")
                try await app.open("API keys")
                let row = try await app.wait(for: .listItem, containing: "<b>Eve</b> &amp;\u{FFFD}second line <a href")
                try app.requireFit(360)
                try await app.press("Revoke", in: row)
                try await app.wait(for: .label, containing: "uses '<b>Eve</b> &amp;\u{FFFD}second line <a href")
                try app.requireFit(360)
                try await app.answer("Cancel")
                #expect(!HostileServerTests.changesDirection(app.tree()))
            }
        }

        /// Checks that what is typed goes into a field, which is marked.
        @Accessibility
        private func requireFocus(_ field: String, _ app: DesktopApp) async throws {
            try await app.wait(forMark: field)
            try await app.type(keys: "typed")
            try await app.wait(forText: "typed", in: field)
        }

        /// Returns from a page without an error to the page of the account.
        @Accessibility
        private func leave(_ app: DesktopApp) async throws {
            #expect(app.names(of: .alert).filter { !$0.isEmpty } == [])
            try await app.press("Back")
            try await app.wait(for: .heading, "Ada Lovelace")
        }

        /// Shows the page of an account whose server is behind a gate.
        private func withGate(
            _ body: @Accessibility (DesktopApp, PersonFolders, GatedServer, RunningSandbox) async throws -> Void
        ) async throws {
            let sandbox = try #require(SandboxTrait.sandbox)
            let server = try GatedServer(forwardingTo: sandbox.addresses["immich"]!)
            let folders = try PersonFolders()
            let login = try await folders.latch(
                "login", server.address, "--email", "ada@example.org", "--password-stdin",
                input: sandbox.passwords["ada@example.org"]! + "\n")
            try #require(login.code == 0, "\(login.errors)")
            try await withApp(folders) { @Accessibility app, folders in
                try await app.wait(for: .label, "ada@example.org")
                try await app.open("This account")
                try await body(app, folders, server, sandbox)
            }
        }
    }
}
