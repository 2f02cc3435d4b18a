import DesktopDriver
import LatchKit
import Testing

extension WindowTests {
    /// The screens from the address of a server to the app.
    @Suite("Sign-in in the window")
    struct SignInTests {
        @Test("IM-2 IM-16 a bad address and a server that is not reachable are alerts, and the address is kept")
        func badAddress() async throws {
            try await withApp { app, _ in
                try await app.type("ftp://photos.example.org", into: "Server URL")
                try await app.press("Next")
                try await app.wait(for: .alert, containing: "Invalid server URL")
                try await app.type("http://127.0.0.1:1", into: "Server URL")
                try await app.press("Next")
                try await app.wait(for: .alert, containing: "Server is not reachable")
                try await app.wait(forText: "http://127.0.0.1:1", in: "Server URL")
            }
        }

        @Test("IM-2 OX-10 the first step shows the version, and Onyx Cloud as a choice")
        func firstStep() async throws {
            try await withApp { app, _ in
                try await app.wait(for: .label, "v\(LatchClient.version)")
                try await app.wait(for: .button, "Onyx Cloud")
            }
        }

        @Test("IM-2 IM-5 a wrong password stays on the second step and is cleared, the right one opens the app")
        func password() async throws {
            try await withSandbox { sandbox in
                try await withApp { app, _ in
                    try await app.connect(to: sandbox.addresses["immich"]!)
                    try await app.type("ada@example.org", into: "Email")
                    try await app.type("wrong", into: "Password")
                    try await app.press("Login")
                    try await app.wait(for: .alert, containing: "Login failed")
                    try await app.wait(forText: "", in: "Password")
                    try await app.wait(forText: "ada@example.org", in: "Email")
                    try await app.type(sandbox.passwords["ada@example.org"]!, into: "Password")
                    try await app.press("Login")
                    try await app.wait(for: .label, "ada@example.org")
                }
            }
        }

        @Test("IM-2 IM-5 OX-8 RM-7 a refused password, address or key is marked, and has the focus")
        func refused() async throws {
            try await withSandbox { sandbox in
                try await withApp { app, _ in
                    for dialect in ["immich", "onyx"] {
                        try await app.connect(to: sandbox.addresses[dialect]!)
                        try await app.type("ada@example.org", into: "Email")
                        try await app.type("wrong", into: "Password")
                        try await app.press("Login")
                        try await app.wait(for: .alert, containing: "password")
                        try await requireFocus("Password", app)
                        try await app.type("ada", into: "Email")
                        try await app.press("Login")
                        try await app.wait(for: .alert, containing: "@")
                        try await requireFocus("Email", app)
                        try await app.press("Back")
                    }
                    try await app.connect(to: sandbox.addresses["relate-mail"]!)
                    try await app.type("not-a-key", into: "API key")
                    try await app.press("Sign in with the key")
                    try await app.wait(for: .alert, containing: "key")
                    try await requireFocus("API key", app)
                }
            }
        }

        @Test("IM-2 IM-5 a failure of the server is told on the second step, and a sign-in that was left is none")
        func left() async throws {
            try await withSandbox { sandbox in
                let server = try GatedServer(forwardingTo: sandbox.addresses["immich"]!)
                try await withApp { app, folders in
                    server.set(.respond(.json("{\"message\":\"Internal\"}", status: 500)), for: "/api/")
                    try await app.type(server.address, into: "Server URL")
                    try await app.press("Next")
                    try await app.wait(for: .alert, containing: server.address)
                    try await server.open()
                    try await app.connect(to: server.address)
                    for rule in [GatedServer.Rule.close, .hold()] {
                        server.set(rule, for: "/api/auth/login")
                        try await app.type("ada@example.org", into: "Email")
                        try await app.type(sandbox.passwords["ada@example.org"]!, into: "Password")
                        try await app.press("Login")
                        if case .close = rule {
                            try await app.wait(for: .alert, containing: server.address)
                        } else {
                            try await server.waitUntilHeld()
                        }
                    }
                    try await app.press("Back")
                    try await app.wait(for: .field, "Server URL")
                    try await server.open()
                    try await app.connect(to: server.address)
                    #expect(app.names(of: .alert) == [])
                    #expect(try await folders.latch("whoami").code == 77)
                }
            }
        }

        /// Checks that a field is marked, and that what is typed goes into it.
        @Accessibility
        private func requireFocus(_ field: String, _ app: DesktopApp) async throws {
            try await app.wait(forMark: field)
            try await app.press(keys: "ctrl+a")
            try await app.type(keys: "typed")
            try await app.wait(forText: "typed", in: field)
        }

        @Test(
            "OX-14 RM-3 without a stored identity an unreachable server is a page with the reason, and Retry opens the app"
        )
        func unreachable() async throws {
            try await withSandbox { sandbox in
                let server = try GatedServer(forwardingTo: sandbox.addresses["immich"]!)
                let folders = try PersonFolders()
                let login = try await folders.latch(
                    "login", server.address, "--email", "ada@example.org", "--password-stdin",
                    input: sandbox.passwords["ada@example.org"]! + "\n")
                try #require(login.code == 0, "\(login.errors)")
                _ = try await folders.sql("UPDATE accounts SET person_id = NULL")
                server.set(.close, for: "/api/")
                try await withApp(folders) { app, _ in
                    try await app.wait(for: .heading, "Your session cannot be used now")
                    try await app.wait(for: .alert, containing: "Check the network, then try again.")
                    #expect(!app.isVisible(.button, "Check the certificate"))
                    server.set(.hold(), for: "/api/users/me")
                    try await app.press("Retry")
                    try await server.waitUntilHeld()
                    try await app.wait(for: .label, "Opening…")
                    try await server.open()
                    try await app.wait(for: .label, "ada@example.org")
                }
            }
        }

        @Test("IM-2 the whole sign-in works with the keyboard alone, and Escape goes back")
        func keyboard() async throws {
            try await withSandbox { sandbox in
                try await withApp { app, _ in
                    let address = sandbox.addresses["immich"]!
                    try await app.wait(for: .field, "Server URL")
                    try await app.type(keys: address)
                    try await app.wait(forText: address, in: "Server URL")
                    try await app.press(keys: "Return")
                    try await app.wait(for: .field, "Email")
                    try await app.press(keys: "Escape")
                    try await app.wait(for: .field, "Server URL")
                    try await app.press(keys: "Return")
                    try await app.wait(for: .field, "Email")
                    try await app.type(keys: "ada@example.org")
                    try await app.wait(forText: "ada@example.org", in: "Email")
                    try await app.press(keys: "Return")
                    try await app.type(keys: sandbox.passwords["ada@example.org"]!)
                    try await app.press(keys: "Return")
                    try await app.wait(for: .label, "ada@example.org")
                }
            }
        }

        @Test("IM-2 Back stops the connection, and a late response changes nothing")
        func late() async throws {
            let server = try SilentServer()
            try await withApp { app, _ in
                try await app.type(server.address, into: "Server URL")
                try await app.press("Next")
                try await app.press("Back")
                server.respond()
                try await app.type("ftp://photos.example.org", into: "Server URL")
                try await app.press("Next")
                try await app.wait(for: .alert, containing: "Invalid server URL")
            }
        }

        @Test(
            "IM-16 a certificate that is not trusted is shown first: Cancel returns, Trust continues; IM-12 a new password"
        )
        func certificate() async throws {
            let gateway = try await RunningGateway()
            let folders = try PersonFolders()
            try await withApp(folders) { app, _ in
                try await app.type(gateway.address, into: "Server URL")
                try await app.press("Next")
                try await app.wait(for: .heading, "Trust this certificate?")
                try await app.wait(for: .alert, containing: "SSL certificate error")
                try await app.press("Cancel")
                try await app.wait(for: .alert, containing: "SSL certificate error")
                try await app.press("Next")
                try await app.press("Trust")
                try await app.type(gateway.person.email, into: "Email")
                try await app.type(gateway.person.password, into: "Password")
                try await app.press("Login")

                try await app.wait(for: .heading, "Change password")
                try await app.type("a new password of Eve", into: "New password")
                try await app.type("another new password", into: "Repeat the new password")
                try await app.press("Change password")
                try await app.wait(for: .alert, containing: "differ")
                try await app.wait(forText: "", in: "New password")
                // The focus is in the field to correct.
                try await app.type(keys: "a new password of Eve")
                try await app.wait(forText: "a new password of Eve", in: "New password")
                try await app.type("a new password of Eve", into: "Repeat the new password")
                try await app.press("Change password")
                try await app.wait(for: .label, gateway.person.email)
            }
            // As if the server had another certificate since, and the person were not known.
            let other = String(repeating: "0", count: 64)
            #expect(try await folders.latch("tls", "--pin", other, "--force").code == 0)
            _ = try await folders.sql("UPDATE accounts SET person_id = NULL")
            try await withApp(folders) { app, _ in
                try await app.wait(for: .heading, "Your session cannot be used now")
                try await app.wait(for: .alert, containing: "Check it, and sign in again if you trust it.")
                try await app.press("Check the certificate")
                try await app.wait(for: .heading, "Trust this certificate?")
                try await app.press("Cancel")
                try await app.wait(for: .field, "Server URL")
                try await app.press("Next")
                try await app.press("Trust")
                try await app.type("a new password of Eve", into: "Password")
                try await app.press("Login")
                try await app.wait(for: .label, gateway.person.email)
            }
            await gateway.stop()
        }

        @Test("RFC 8628 a server of OAuth gets a client id, and the letters for another device are shown")
        func device() async throws {
            let server = try OAuthServer()
            try await withApp { app, folders in
                try await app.type(server.address, into: "Server URL")
                try await app.press("Next")
                try await app.wait(for: .button, "Sign in on another device")
                #expect(!app.isVisible(.field, "Client ID"))
                try await app.press("Sign in on another device")
                try await app.wait(for: .alert, containing: "needs a client id")
                try await app.wait(forMark: "Client ID")
                try await app.type("tv", into: "Client ID")
                try await app.press("Sign in on another device")
                try await app.wait(for: .heading, "WDJB-MJHT")
                try await app.wait(for: .label, server.address + "/device")
                try await app.wait(for: .image, "QR code")
                try await app.press("Cancel")
                try await app.wait(for: .button, "Sign in on another device")
                server.allow()
                try await app.press("Sign in on another device")
                try await app.wait(for: .label, "ada@example.org")
                #expect(try await folders.latch("whoami").code == 0)
            }
            server.stop()
        }

        @Test("OX-8 OX-9 each provider is a button, the page for another device has a code, and Cancel returns")
        func provider() async throws {
            try await withSandbox { sandbox in
                try await withApp { app, _ in
                    try await app.connect(to: sandbox.addresses["onyx"]!)
                    try await app.press("Continue with the sandbox")
                    try await app.wait(for: .heading, "Waiting for your browser")
                    try await app.press("Use another device")
                    try await app.wait(for: .image, "QR code")
                    try await app.type("https://example.org/not-the-link", into: "Address of the last page")
                    try await app.press("Continue")
                    try await app.wait(for: .alert, containing: "This is not the address of the last page")
                    try await app.press("Cancel")
                    try await app.wait(for: .button, "Login")
                }
            }
        }
    }
}
