import DesktopDriver
import Testing

extension WindowTests {
    /// What can be managed at the server of an account.
    @Suite("Account in the window", .sandbox)
    struct AccountPagesTests {
        @Test("OX-8 the sessions of other devices are listed, and one of them can be ended")
        func sessions() async throws {
            try await withAccount { app, folders, sandbox in
                let other = try PersonFolders()
                try await other.signIn("ada@example.org", sandbox, "immich")
                try await app.open("This account")
                try await app.open("Sessions")
                try await app.wait(for: .label, "This device")
                try await app.press("End session")
                try await app.wait(for: .label, containing: "and must sign in again.")
                try await app.answer("Cancel")
                try await app.press("End session")
                try await app.wait(for: .label, "End the session?")
                try await app.answer("End session")
                try await app.waitUntilGone(.button, "End session")
                try await app.wait(for: .label, "This device")
                #expect(try await other.latch("whoami").code == 77)
                #expect(try await folders.latch("whoami").code == 0)
            }
        }

        @Test("IM-13 IM-14 an address is added only if the same person is signed in there, tested, and removed")
        func addresses() async throws {
            try await withAccount { app, _, sandbox in
                let local = sandbox.addresses["immich"]!.replacing("127.0.0.1", with: "localhost")
                try await app.open("This account")
                try await app.open("Addresses")
                try await app.type(sandbox.addresses["onyx"]!, into: "Address")
                try await app.press("Add address")
                try await app.wait(for: .alert, containing: sandbox.addresses["onyx"]!)
                try await app.type("ftp://example.org", into: "Address")
                try await app.press("Add address")
                try await app.wait(for: .alert, containing: "Invalid server URL")
                try await app.type(local, into: "Address")
                try await app.press("Add address")
                try await app.wait(for: .listItem, local)
                try await app.wait(forText: "", in: "Address")
                try await app.press("Test addresses")
                try await app.wait(for: .label, containing: "Can be used")
                try await app.press("Remove", in: local)
                try await app.waitUntilGone(.listItem, local)
                try await app.type("Home & <Garden>", into: "Network name")
                try await app.press("Add network")
                try await app.wait(for: .listItem, "Home & <Garden>")
                try await app.press("Remove", in: "Home & <Garden>")
                try await app.waitUntilGone(.listItem, "Home & <Garden>")
            }
        }

        @Test("IM-16 OX-16 a header field that is not allowed is refused, a good one is tested and stored")
        func connection() async throws {
            try await withAccount { app, folders, _ in
                try await app.open("This account")
                try await app.open("Connection")
                try await app.type("Host", into: "Name")
                try await app.type("a secret", into: "Value")
                try await app.press("Add header field")
                try await app.wait(for: .alert, containing: "Host")
                // What was typed stays, and the focus is in the field to correct.
                try await app.wait(forText: "a secret", in: "Value")
                try await app.press(keys: "ctrl+a")
                try await app.type(keys: "Via")
                try await app.wait(forText: "Via", in: "Name")
                try await app.type("X-Access", into: "Name")
                try await app.type("a secret", into: "Value")
                try await app.press("Add header field")
                try await app.wait(for: .listItem, "X-Access")
                try await app.type("http://127.0.0.1:1", into: "Proxy")
                try await app.press("Save")
                try await app.wait(for: .alert, containing: "127.0.0.1:1")
                try await app.type("", into: "Proxy")
                try await app.press("Save")
                try await app.wait(for: .listItem, "Connection")
                let headers = try await folders.latch("headers", "list").output
                #expect(headers.contains("X-Access") && !headers.contains("a secret"))
            }
        }

        @Test("IM-15 the PIN of the server: set, a wrong one refused, changed and removed")
        func serverPIN() async throws {
            try await withAccount("bob@example.org") { app, folders, _ in
                try await app.open("This account")
                try await app.open("PIN of the locked folder")
                try await app.type("123456", into: "New PIN (six digits)")
                try await app.type("123457", into: "Repeat the new PIN")
                try await app.press("Set PIN")
                try await app.wait(for: .alert, containing: "differ")
                try await app.type("123456", into: "New PIN (six digits)")
                try await app.type("123456", into: "Repeat the new PIN")
                try await app.press("Set PIN")
                try await app.wait(for: .button, "Change PIN")
                try await app.type("999999", into: "Current PIN")
                try await app.type("654321", into: "New PIN (six digits)")
                try await app.type("654321", into: "Repeat the new PIN")
                try await app.press("Change PIN")
                try await app.wait(for: .alert, containing: "the PIN is wrong")
                try await app.wait(forText: "", in: "Current PIN")
                try await app.type("123456", into: "Current PIN")
                try await app.type("654321", into: "New PIN (six digits)")
                try await app.type("654321", into: "Repeat the new PIN")
                try await app.press("Change PIN")
                try await app.wait(forText: "", in: "Current PIN")
                try await app.wait(forSensitive: "Change PIN")
                #expect(try await folders.latch("pin", "unlock", "--pin-stdin", input: "654321\n").code == 0)
                try await app.type("654321", into: "Current PIN")
                try await app.press("Remove PIN")
                try await app.wait(for: .button, "Set PIN")
            }
        }

        @Test("IM-12 a wrong current password is refused, a new one is accepted by the server")
        func password() async throws {
            try await withAccount("bob@example.org", "immich") { app, folders, sandbox in
                try await app.open("This account")
                try await app.open("Change password")
                for (current, isRight) in [("wrong", false), (sandbox.passwords["bob@example.org"]!, true)] {
                    try await app.type(current, into: "Current password")
                    try await app.type("a new password of Bob", into: "New password")
                    try await app.type("a new password of Bob", into: "Repeat the new password")
                    try await app.press("Change password")
                    if !isRight { try await app.wait(for: .alert, containing: "password") }
                }
                try await app.wait(for: .listItem, "Sessions")
                let login = try await PersonFolders().latch(
                    "login", sandbox.addresses["immich"]!, "--email", "bob@example.org", "--password-stdin",
                    input: "a new password of Bob\n")
                #expect(login.code == 0, "\(login.errors)")
            }
        }
    }
}
