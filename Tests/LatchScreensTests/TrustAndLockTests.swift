import Foundation
import LatchKit
import TestSupport
import Testing

@testable import LatchScreens

/// Certificates that the system does not trust, the options of a connection, and the lock of the device.
@MainActor
@Suite("Trust and lock screens", .timeLimit(.minutes(5)))
struct TrustAndLockTests {
    @Test("IM-16 IM-18 a self-signed certificate is asked about, refused and then trusted for this server only")
    func trust() async throws {
        try await AppFixture.with { fixture in
            let folder = try TemporaryDirectory()
            let port = try #require(try ServerAddress(try fixture.url("immich")).port)
            let front = try await TLSFront(to: UInt16(port), in: folder)
            let app = fixture.start()
            let connect = try await app.connect()
            connect.address = "https://127.0.0.1:\(front.port)"
            connect.next()
            let question = try await app.trust()
            #expect(question.error.message.hasPrefix("SSL certificate error"))
            let facts = Dictionary(uniqueKeysWithValues: question.facts.map { ($0.name, $0.value) })
            #expect(facts["SHA-256"] == front.fingerprint && facts["Issuer"] == "itself (self-signed)")
            #expect(facts["Subject"]?.contains("\u{1B}") == false)
            question.cancel()
            let again = try await app.connect()
            #expect(again === connect && connect.error == question.error)

            connect.next()
            try await app.trust().trust()
            let screen = try await app.signInScreen()
            (screen.email, screen.password) = fixture.ada
            screen.login()
            let main = try await app.main()
            let connection = main.accountScreen().connection()
            try await observed { connection.pin == front.fingerprint }

            // Without the pin the server cannot be reached, so the pin stays.
            connection.removePin()
            connection.save()
            try await observed { connection.state != .saving }
            #expect(connection.error?.message.hasPrefix("Nothing was changed") == true)
            let stored = main.accountScreen().connection()
            try await observed { stored.pin == front.fingerprint }
        }
    }

    @Test("IM-16 a trusted certificate and header fields are not used for another address that is entered afterwards")
    func otherAddress() async throws {
        try await AppFixture.with { fixture in
            let folder = try TemporaryDirectory()
            let port = try #require(try ServerAddress(try fixture.url("immich")).port)
            let front = try await TLSFront(to: UInt16(port), in: folder)
            let app = fixture.start()
            let connect = try await app.connect()
            let screen = connect.connectionScreen()
            (screen.headerName, screen.headerValue) = ("X-Key", "a secret value")
            screen.addHeader()
            screen.save()
            try await observed { screen.state == .saved }
            connect.address = "https://127.0.0.1:\(front.port)"
            connect.next()
            try await app.trust().trust()
            _ = try await app.signInScreen()
            #expect(connect.connection.pinnedCertificate != nil && connect.connection.extraHeaders["X-Key"] != nil)
            guard case .signIn(let flow) = app.state else { throw Unexpected() }
            flow.back()
            connect.address = try fixture.url("onyx")
            connect.next()
            #expect(connect.connection.pinnedCertificate == nil && connect.connection.extraHeaders["X-Key"] == nil)
            _ = try await app.signInScreen()
        }
    }

    @Test("IM-18 header fields and certificates are checked before they are stored")
    func connection() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let connect = try await app.connect()
            let screen = connect.connectionScreen()
            (screen.headerName, screen.headerValue) = ("Host", "other.example")
            screen.addHeader()
            #expect(screen.error?.code == .invalidRequest && screen.headerValue.isEmpty)
            (screen.headerName, screen.headerValue) = ("X-Key", "a secret value")
            screen.addHeader()
            #expect(screen.headerNames == ["X-Key"] && screen.error == nil && screen.headerName.isEmpty)
            for file in ["/missing.pem", "relative.pem", "/dev/zero", "/etc/passwd"] {
                screen.certificateFile = file
                screen.save()
                try await observed { screen.state != .saving }
                #expect(screen.error?.code == .clientCertificate, "\(file)")
            }
            screen.certificateFile = ""
            screen.save()
            try await observed { screen.state == .saved }
            #expect(connect.connection.extraHeaders["X-Key"] == "a secret value")
        }
    }

    @Test("IM-15 a PIN is set, locks the app, counts wrong tries and unlocks to the same account")
    func lock() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let main = try await fixture.signIn(app)
            let settings = try #require(app.lockSettings())
            (settings.new, settings.again) = ("135790", "135791")
            settings.savePIN()
            #expect(settings.error?.message == LockSettingsScreen.Text.differ && settings.new.isEmpty)
            (settings.new, settings.again) = ("12", "12")
            settings.savePIN()
            #expect(settings.error?.code == .weakPassword)
            (settings.new, settings.again) = ("135790", "135790")
            settings.savePIN()
            try await observed { settings.state == .editing(nil) && settings.hasPIN }
            settings.change(idleSeconds: 5)
            try await observed { settings.state == .editing(nil) && settings.settings?.idleSeconds == 10 }

            app.lock()
            let lock: LockScreen = try await app.value { if case .locked(let screen) = $0 { screen } else { nil } }
            #expect(app.lockSettings() == nil && app.accounts == nil)
            #expect(lock.hasPIN && !lock.hasSystemAuthentication)
            lock.pin = "000000"
            lock.unlock()
            #expect(lock.pin.isEmpty && lock.state == .unlocking(.pin))
            try await observed { lock.error != nil }
            #expect(lock.error?.code == .wrongPIN)
            lock.pin = "135790"
            lock.unlock()
            #expect(try await app.main().account.id == main.account.id)
        }
    }

    @Test("IM-15 after a forgotten PIN the lock is removed, and the account must sign in again")
    func forget() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            _ = try await fixture.signIn(app)
            let settings = try #require(app.lockSettings())
            (settings.new, settings.again) = ("135790", "135790")
            settings.savePIN()
            try await observed { settings.hasPIN }
            app.lock()
            let lock: LockScreen = try await app.value { if case .locked(let screen) = $0 { screen } else { nil } }
            lock.forget()
            #expect(lock.state == .locked(nil))
            lock.askToForget()
            lock.cancel()
            #expect(lock.state == .locked(nil))
            lock.askToForget()
            lock.forget()
            let screen = try await app.signInScreen()
            #expect(screen.email == fixture.ada.email && screen.reason != nil)
        }
    }
}
