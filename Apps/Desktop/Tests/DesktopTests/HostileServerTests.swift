import DesktopDriver
import Foundation
import Testing

extension WindowTests {
    /// A server that sends markup, long texts, endless responses or nothing.
    @Suite("A hostile, slow or dead server")
    struct HostileServerTests {
        private static let markup = "<b>Eve</b> &amp;\nsecond line <a href=\"x\">\u{202E}link\u{2066}</a>"
        /// Markup, a line break, marks of direction and 10,000 letters.
        static let long = markup + String(repeating: "W", count: 10_000)

        /// Returns a text as JSON.
        static func quoted(_ text: String) -> String {
            String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
        }

        /// Whether a text contains marks of direction.
        static func changesDirection(_ text: String) -> Bool {
            text.unicodeScalars.contains {
                (0x202A...0x202E).contains($0.value) || (0x2066...0x2069).contains($0.value)
            }
        }

        /// An Immich server with one text in all places.
        static func response(_ text: String, to path: String) -> ScriptedServer.Response {
            let quoted = quoted(text)
            let user = "\"email\":\"eve@example.org\",\"name\":\(quoted),\"isAdmin\":false,\"profileImagePath\":\"\""
            switch path.split(separator: "?")[0] {
            case "/api/server/ping": return .json("{\"res\":\"pong\"}")
            case "/api/server/version": return .json("{\"major\":3,\"minor\":1,\"patch\":0}")
            case "/api/server/features":
                return .json(
                    "{\"passwordLogin\":true,\"oauth\":true,\"oauthAutoLaunch\":false,\"configFile\":true,"
                        + "\"search\":true}")
            case "/api/server/config":
                return .json("{\"oauthButtonText\":\(quoted),\"loginPageMessage\":\(quoted),\"isInitialized\":true}")
            case "/api/auth/login":
                return .json(
                    "{\"accessToken\":\"token\",\"userId\":\"1\",\"userEmail\":\"eve@example.org\",\"name\":\(quoted),"
                        + "\"isAdmin\":false,\"profileImagePath\":\"\",\"shouldChangePassword\":false}", status: 201)
            case "/api/users/me": return .json("{\"id\":\"1\",\(user),\"shouldChangePassword\":false}")
            case "/api/sessions":
                let times = "\"createdAt\":\"2026-01-01T00:00:00Z\",\"updatedAt\":\"2026-01-01T00:00:00Z\""
                let device = "\"deviceType\":\(quoted),\"deviceOS\":\(quoted)"
                return .json("[{\"id\":\"1\",\(times),\(device),\"current\":false}]")
            case "/api/auth/status": return .json("{\"pinCode\":false,\"password\":true}")
            default: return .json("{\"message\":\(quoted)}", status: 404)
            }
        }

        @Test("IM-2 IM-16 markup, marks of direction and 10,000 letters are plain text that fits 360 pixels")
        func texts() async throws {
            let server = try ScriptedServer { Self.response(Self.long, to: $1) }
            defer { server.stop() }
            let folders = try PersonFolders()
            try await withApp(folders) { @Accessibility app, _ in
                try await app.resize(360, 1000)
                try await app.connect(to: server.address)
                try await app.wait(for: .button, containing: "<b>Eve</b> &amp;")
                try app.requireFit(360)
                try await app.type("eve@example.org", into: "Email")
                try await app.type("a password", into: "Password")
                try await app.press("Login")
                try await app.wait(for: .label, "eve@example.org")
                try await app.wait(for: .heading, containing: "<b>Eve</b> &amp;\u{FFFD}second line <a href")
                try app.requireFit(360)
                try await app.press("Accounts")
                try await app.wait(for: .listItem, containing: "<b>Eve</b> &amp;")
                try app.requireFit(360)
                try await app.press("Back")
                try await app.open("This account")
                try await app.wait(for: .listItem, "Sessions")
                try app.requireFit(360)
                try await app.open("Sessions")
                try await app.wait(for: .listItem, containing: "<b>Eve</b> &amp;")
                try app.requireFit(360)
                try await app.press("End session")
                try await app.wait(for: .label, containing: "'<b>Eve</b> &amp;\u{FFFD}second line <a href")
                try app.requireFit(360)
                try await app.answer("End session")
                try await app.wait(for: .alert, containing: "You have no such session")
                try app.requireFit(360)
                try await app.press("Back")
                try await app.wait(for: .listItem, "Addresses")
                try await app.open("Addresses")
                try await app.wait(forSensitive: "Test addresses")
                try app.requireFit(360)
                try await app.press("Back")
                try await app.wait(for: .listItem, "Sessions")
                try await app.press("Back")
                try await app.open("Downloads")
                try await app.wait(for: .heading, "No downloads")
                try app.requireFit(360)
                try await app.press(keys: "ctrl+comma")
                try await app.wait(for: .button, "Set PIN")
                try app.requireFit(360)
                #expect(!Self.changesDirection(app.tree()))
            }
        }

        @Test("IM-16 responses that never end, or never begin, leave the window usable", arguments: [true, false])
        func unbounded(_ isEndless: Bool) async throws {
            let server = try ScriptedServer { _, path in
                path.hasSuffix("/login") ? Self.response("Eve", to: path) : isEndless ? .endless : .silence
            }
            defer { server.stop() }
            try await withApp { @Accessibility app, _ in
                for _ in 0..<3 {
                    try await app.type(server.address, into: "Server URL")
                    try await app.press("Next")
                    if isEndless {
                        try await app.wait(for: .alert, containing: server.address)
                    } else {
                        try await app.press("Back")
                    }
                    try await app.wait(forSensitive: "Next")
                }
                let memory = try #require(app.program.memory)
                #expect(memory < 300 * 1_048_576)
            }
        }

        @Test("IM-10 OX-14 a server that stops responding leaves the app open; Back, Cancel and sign-out work")
        func dead() async throws {
            let isDead = Flag()
            let server = try ScriptedServer { isDead.value ? .silence : Self.response("Eve", to: $1) }
            defer { server.stop() }
            let folders = try PersonFolders()
            let login = try await folders.latch(
                "login", server.address, "--email", "eve@example.org", "--password-stdin", input: "a password\n")
            try #require(login.code == 0, "\(login.errors)")
            isDead.value = true
            try await withApp(folders) { @Accessibility app, _ in
                try await app.wait(for: .label, "eve@example.org")
                try await app.open("This account")
                try await app.open("Sessions")
                try await app.press("Back")
                try await app.wait(for: .listItem, "Addresses")
                try await app.open("Connection")
                try await app.type("http://127.0.0.1:1", into: "Proxy")
                try await app.press("Save")
                try await app.press("Back")
                try await app.wait(for: .listItem, "Addresses")
                try await app.press("Back")
                try await app.press("Accounts")
                try await app.press("Sign out")
                try await app.wait(for: .label, "Sign out?")
                try await app.press("Sign out")
                try await app.wait(for: .field, "Server URL")
                try await app.choose(menu: "Accounts")
                try await app.wait(for: .label, containing: "End it on the account page of the server.")
            }
        }
    }
}
