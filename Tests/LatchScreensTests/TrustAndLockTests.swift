import Foundation
import LatchKit
import TestSupport
import Testing

@testable import LatchScreens

/// Certificates that the system does not trust, the options of a connection, and the lock of the device.
@MainActor
@Suite("Trust and lock screens", .timeLimit(.minutes(5)))
struct TrustAndLockTests {
    @Test("IM-16 a self-signed certificate is asked about, refused and then trusted for this server only")
    func trust() async throws {
        try await AppFixture.with { fixture in
            let front = try await fixture.tlsFront()
            let app = fixture.start()
            let question = try await fixture.trustScreen(app, at: front)
            #expect(question.error.message.hasPrefix("SSL certificate error"))
            let facts = Dictionary(uniqueKeysWithValues: question.facts.map { ($0.name, $0.value) })
            #expect(facts["SHA-256"] == front.fingerprint && facts["Issuer"] == "itself (self-signed)")
            #expect(facts["Subject"]?.contains("\u{1B}") == false)
            question.cancel()
            let connect = try await app.connect()
            #expect(connect.error == question.error)

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
            let front = try await fixture.tlsFront()
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
            #expect(connect.error?.message.contains("127.0.0.1:\(front.port)") == true)
            connect.next()
            _ = try await app.signInScreen()
        }
    }

    @Test("IM-16 options that are saved again still belong to the server that they were entered for")
    func savedAgain() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let signIn = try await fixture.signInScreen(app, of: "immich")
            guard case .signIn(let flow) = app.state else { throw Unexpected() }
            flow.back()
            let connect = try await app.connect()
            let screen = connect.connectionScreen()
            (screen.headerName, screen.headerValue) = ("X-Key", "a secret value")
            screen.save()
            try await observed { screen.state == .saved }
            let again = connect.connectionScreen()
            again.save()
            try await observed { again.state == .saved }
            #expect(connect.connection.extraHeaders["X-Key"] == "a secret value")

            connect.address = try fixture.url("onyx")
            let other = connect.connectionScreen()
            other.save()
            try await observed { other.state == .saved }
            connect.next()
            #expect(connect.error?.message.contains("belong to \(signIn.host)") == true)
            #expect(connect.connection.extraHeaders.fields.isEmpty)
        }
    }

    @Test("IM-16 Save adds a typed header field or refuses it, and nothing is removed while the options are tested")
    func typedHeader() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let main = try await fixture.signIn(app)
            let screen = main.accountScreen().connection()
            try await observed { screen.canSave }
            (screen.headerName, screen.headerValue) = ("Host", "other.example")
            screen.save()
            #expect(screen.errorField == .headerName && screen.headerValue == "other.example")
            screen.headerName = "X-Key"
            screen.save()
            #expect(screen.state == .saving)
            screen.removeHeader("X-Key")
            #expect(screen.headerNames == ["X-Key"])
            try await observed { screen.state != .saving }
            #expect(screen.state == .saved)
            let stored = try await app.client?.accounts.connection(of: main.account.id)
            #expect(stored?.extraHeaders["X-Key"] == "other.example")
        }
    }

    @Test("IM-16 header fields and certificates are checked before they are stored")
    func connection() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let connect = try await app.connect()
            let screen = connect.connectionScreen()
            (screen.headerName, screen.headerValue) = ("Host", "other.example")
            screen.addHeader()
            // What was typed stays, so that it can be corrected.
            #expect(screen.error?.code == .invalidRequest && screen.errorField == .headerName)
            #expect(screen.headerName == "Host" && screen.headerValue == "other.example")
            screen.headerName = "X-Host"
            #expect(screen.error == nil)
            screen.headerValue = ""
            screen.addHeader()
            #expect(screen.errorField == .headerValue && screen.headerNames.isEmpty)
            (screen.headerName, screen.headerValue) = ("X-Key", "a secret value")
            screen.addHeader()
            #expect(screen.headerNames == ["X-Key"] && screen.error == nil && screen.headerName.isEmpty)
            #expect(screen.headerValue.isEmpty)
            for proxy in ["not a proxy", "ftp://proxy:1", "proxy:65536"] {
                screen.proxy = proxy
                screen.save()
                #expect(screen.error?.code == .proxyFailed && screen.errorField == .proxy && screen.proxy == proxy)
                #expect(screen.error?.message.contains("Write it as 'http://host:port'") == true)
            }
            screen.proxy = ""
            #expect(screen.error == nil)
            for file in ["/missing.pem", "relative.pem", "/dev/zero", "/etc/passwd"] {
                screen.certificateFile = file
                screen.save()
                try await observed { screen.state != .saving }
                #expect(screen.error?.code == .clientCertificate && screen.errorField == .certificate, "\(file)")
                #expect(screen.certificateFile == file)
            }
            screen.certificateFile = ""
            screen.save()
            try await observed { screen.state == .saved }
            #expect(connect.connection.extraHeaders["X-Key"] == "a secret value")
        }
    }

    @Test("IM-16 what is typed before the stored options are known stays, and cannot be saved without them")
    func typedEarly() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let main = try await fixture.signIn(app)
            let screen = main.accountScreen().connection()
            #expect(!screen.canSave)
            screen.proxy = "http://127.0.0.1:1"
            screen.save()
            #expect(screen.state == .editing(nil))
            try await observed { screen.canSave }
            #expect(screen.proxy == "http://127.0.0.1:1")
            screen.save()
            try await observed { screen.state != .saving }
            #expect(screen.error != nil && screen.proxy == "http://127.0.0.1:1")
        }
    }

    @Test("IM-16 OX-14 a certificate that changed is told as that, and a new sign-in asks about it and is left again")
    func changedCertificate() async throws {
        try await AppFixture.with { fixture in
            let front = try await fixture.tlsFront()
            let app = fixture.start()
            let question = try await fixture.trustScreen(app, at: front)
            question.trust()
            let screen = try await app.signInScreen()
            (screen.email, screen.password) = fixture.ada
            screen.login()
            let account = try await app.main().account
            await app.stop()

            // As if the server had another certificate since.
            let other = try await LatchClient.open(fixture.configuration)
            var digits = Array(front.fingerprint)
            digits[0] = digits[0] == "0" ? "1" : "0"
            let wrong = try #require(CertificateFingerprint(String(digits)))
            _ = try await other.changeConnection(of: account, isForced: true) { $0.pinnedCertificate = wrong }
            await other.close()

            let next = fixture.start()
            let main: MainScreen = try await next.value {
                if case .main(let screen) = $0, screen.hasCertificateProblem { screen } else { nil }
            }
            #expect(main.offlineReason?.hasPrefix("The certificate of") == true)
            next.signInAgain()
            let asked = try await next.trust()
            guard case .signIn(let flow) = next.state, flow.canLeave else { throw Unexpected() }
            #expect(asked.facts.contains { $0.value == front.fingerprint })
            asked.cancel()
            flow.back()
            #expect(try await next.main().account.id == account.id)

            next.signInAgain()
            try await next.trust().trust()
            let again = try await next.signInScreen()
            #expect(again.email == fixture.ada.email && again.reason != nil)
            again.password = fixture.ada.password
            again.login()
            let signedIn: MainScreen = try await next.value {
                if case .main(let screen) = $0, screen.offlineReason == nil { screen } else { nil }
            }
            #expect(signedIn.account.id == account.id && !signedIn.hasCertificateProblem)
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
            #expect(settings.errorField == .new && !app.canLock)
            (settings.new, settings.again) = ("12", "12")
            settings.savePIN()
            #expect(settings.error?.code == .weakPassword)
            (settings.new, settings.again) = ("135790", "135790")
            settings.savePIN()
            try await observed { settings.state == .editing(nil) && settings.hasPIN }
            try await observed { app.canLock }
            settings.change(idleSeconds: 5)
            try await observed { settings.state == .editing(nil) && settings.settings?.idleSeconds == 10 }

            try app.lock()
            let lock: LockScreen = try await app.value { if case .locked(let screen) = $0 { screen } else { nil } }
            #expect(app.lockSettings() == nil && app.accounts == nil && !app.canLock)
            #expect(lock.hasPIN && !lock.hasSystemAuthentication)
            lock.pin = "000000"
            lock.unlock()
            #expect(lock.pin.isEmpty && lock.state == .unlocking(.pin))
            try await observed { lock.error != nil }
            #expect(lock.error?.code == .wrongPIN && lock.triesLeft == nil)
            #expect(
                lock.error?.message
                    == "The PIN of this device is wrong. 9 tries are left before you must sign in to every account again."
            )
            lock.pin = "135790"
            lock.unlock()
            #expect(try await app.main().account.id == main.account.id)
        }
    }

    @Test("IM-15 the last five wrong tries are announced")
    func triesLeft() {
        let sentences = (1...10).map(LockScreen.Text.triesLeft)
        #expect(sentences[0] == "After 1 more wrong try you must sign in to all accounts again.")
        #expect(
            sentences[1..<5]
                == ["2", "3", "4", "5"].map { "After \($0) more wrong tries you must sign in to all accounts again." }[
                    ...])
        #expect(sentences[5...].allSatisfy { $0 == nil })
    }

    @Test("IM-15 a PIN and a time that another program sets appear in the settings that are shown")
    func lockElsewhere() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            _ = try await fixture.signIn(app)
            let settings = try #require(app.lockSettings())
            let running = Task { await settings.run() }
            let other = try await LatchClient.open(fixture.configuration)
            try await other.lock.set(Secret("135790"))
            try await observed { settings.hasPIN }
            var changed = try #require(try other.lock.settings)
            changed.idleSeconds = 900
            try await other.lock.changeSettings(changed)
            try await observed { settings.settings?.idleSeconds == 900 }
            await other.close()
            running.cancel()
            await running.value
        }
    }

    @Test("IM-15 the lock ends a sign-in, forgets what was typed, hides accounts and log, and locks again at once")
    func locked() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let account = try await fixture.signIn(app).account
            let settings = try #require(app.lockSettings())
            (settings.new, settings.again) = ("135790", "135790")
            settings.savePIN()
            try await observed { settings.hasPIN && settings.state == .editing(nil) }
            app.addAccount()
            let connect = try await app.connect()
            connect.address = try fixture.url("onyx")
            connect.next()
            let signIn = try await app.signInScreen()
            signIn.password = "typed before the lock"

            try app.lock()
            let lock: LockScreen = try await app.value { if case .locked(let screen) = $0 { screen } else { nil } }
            #expect(signIn.password.isEmpty && app.accounts == nil && app.log() == nil && app.downloadSettings() == nil)
            app.addAccount()
            guard case .locked = app.state else { throw Unexpected() }
            lock.pin = "135790"
            lock.unlock()
            #expect(try await app.main().account.id == account.id && app.accounts != nil)
            try app.lock()
            let again: LockScreen = try await app.value {
                if case .locked(let screen) = $0, screen !== lock { screen } else { nil }
            }
            again.pin = "135790"
            #expect(again.canUnlock)
        }
    }

    @Test("IM-15 IM-10 an app that starts locked opens the account after the unlocking")
    func startLocked() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let account = try await fixture.signIn(app).account
            let settings = try #require(app.lockSettings())
            (settings.new, settings.again) = ("135790", "135790")
            settings.savePIN()
            try await observed { settings.hasPIN && settings.state == .editing(nil) }
            try app.lock()
            await app.stop()

            let next = fixture.start()
            let lock: LockScreen = try await next.value { if case .locked(let screen) = $0 { screen } else { nil } }
            lock.pin = "135790"
            lock.unlock()
            #expect(try await next.main().account.id == account.id)
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
            try app.lock()
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
