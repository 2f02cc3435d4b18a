import Foundation
import LatchKit
import TestSupport
import Testing

@testable import LatchScreens

/// The screens from the address of a server to the app.
@MainActor
@Suite("Sign-in screens", .timeLimit(.minutes(5)))
struct SignInFlowTests {
    @Test(
        "IM-2 IM-3 a bad address and a server that does not respond are told on the first step, with the address kept")
    func badAddress() async throws {
        try await AppFixture.with { fixture in
            let connect = try await fixture.start().connect()
            #expect(!connect.canContinue)
            connect.address = "ftp://photos.example.org"
            connect.next()
            #expect(
                connect.error?.code == .invalidAddress && connect.error?.message.hasPrefix("Invalid server URL") == true
            )

            let free = try HeldPort()
            connect.address = "http://127.0.0.1:\(free.number)"
            #expect(connect.error == nil)
            connect.next()
            #expect(connect.state == .connecting && !connect.canContinue)
            try await observed { connect.state != .connecting }
            #expect(connect.error?.message.hasPrefix("Server is not reachable") == true)
            #expect(connect.address == "http://127.0.0.1:\(free.number)")
        }
    }

    @Test("OX-10 Onyx Cloud is a choice: its name and its button stand for its address")
    func hostedServer() async throws {
        let cloud = try #require(HostedServer.all.first)
        #expect(HostedServer.all.count == 1 && cloud.name == "Onyx Cloud")
        #expect(cloud.address.url == "https://cloud.onyx.app")
        for text in ["Onyx Cloud", " onyx-cloud ", "ONYX  CLOUD"] {
            #expect(try ServerAddress(addressOrName: text) == cloud.address)
        }
        #expect(try ServerAddress(addressOrName: "https://onyx-cloud").url == "https://onyx-cloud")
        #expect(throws: LatchError.self) { try ServerAddress(addressOrName: "Onyx Clouds") }

        try await AppFixture.with { fixture in
            let connect = try await fixture.start().connect()
            #expect(connect.hostedServers == [cloud])
            // No request leaves the machine: the proxy is a port without a server.
            let free = try HeldPort()
            connect.connection.proxy = "http://127.0.0.1:\(free.number)"
            connect.choose(cloud)
            #expect(connect.state == .connecting && connect.address == "https://cloud.onyx.app")
            try await observed { connect.state != .connecting }
            #expect(connect.error != nil && connect.address == "https://cloud.onyx.app")
        }
    }

    @Test("IM-2 IM-5 a wrong password stays on the second step, the right one opens the app, and no password is kept")
    func password() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let screen = try await fixture.signInScreen(app, of: "immich")
            #expect(try screen.hasPassword && fixture.url("immich") == "http://\(screen.host)")
            #expect(screen.providers.count == 1 && !screen.canLogin)
            screen.email = fixture.ada.email
            screen.password = "wrong"
            screen.login()
            #expect(screen.state == .signingIn && screen.password.isEmpty)
            try await observed { screen.state != .signingIn }
            #expect(screen.error?.message.hasPrefix("Login failed") == true && screen.email == fixture.ada.email)
            #expect(screen.errorField == .password)

            screen.password = fixture.ada.password
            #expect(screen.error == nil)
            screen.login()
            let main = try await app.main()
            #expect(main.account.userEmail == fixture.ada.email && main.offlineReason == nil)
        }
    }

    @Test("IM-2 after Back a late response of the server changes nothing")
    func late() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let screen = try await fixture.signInScreen(app, of: "immich")
            (screen.email, screen.password) = fixture.ada
            screen.login()
            guard case .signIn(let flow) = app.state else { throw Unexpected() }
            flow.back()
            guard case .connect = flow.state else { throw Unexpected() }
            await screen.work.finish()
            guard case .signIn(let now) = app.state, case .connect = now.state, screen.state == .editing(nil) else {
                throw Unexpected()
            }
            #expect(try await app.client?.accounts.accounts().isEmpty == true)
        }
    }

    @Test("IM-3 OX-10 the next start suggests the server that was found, and no other address is stored")
    func suggestion() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            _ = try await fixture.signInScreen(app, of: "immich")
            await app.stop()
            #expect(try await fixture.start().connect().address == fixture.url("immich"))
        }
    }

    @Test("IM-2 IM-3 an edit of the address stops asking the server, whose late response shows no page")
    func editWhileConnecting() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let connect = try await app.connect()
            connect.address = try fixture.url("immich")
            connect.next()
            #expect(connect.state == .connecting)
            connect.address = try fixture.url("onyx")
            #expect(connect.state == .editing(nil) && connect.canContinue)
            await connect.work.finish()
            guard case .signIn(let flow) = app.state, case .connect = flow.state else { throw Unexpected() }
        }
    }

    @Test("IM-18 OX-10 the version of the server and its maintenance are warned of, also after something was typed")
    func warnings() async throws {
        try await AppFixture.with { fixture in
            let server = try FaultServer { request in
                let body =
                    switch request.path {
                    case "/api/server/ping": #"{"res":"pong"}"#
                    case "/api/server/version": #"{"major":99,"minor":1,"patch":2}"#
                    case "/api/server/features": #"{"oauth":false,"passwordLogin":true}"#
                    case "/api/server/config": #"{"isInitialized":true,"maintenanceMode":true}"#
                    default: ""
                    }
                return .init(
                    status: body.isEmpty ? 404 : 200, headers: [("Content-Type", "application/json")],
                    body: Array(body.utf8))
            }
            let app = fixture.start()
            let connect = try await app.connect()
            connect.address = server.url("")
            connect.next()
            let screen = try await app.signInScreen()
            screen.email = "a"
            #expect(screen.warnings.contains { $0.contains("in maintenance") })
            #expect(screen.warnings.contains { $0.contains("The server's version is") && $0.contains("99.1.2") })
        }
    }

    @Test("OX-11 the app ends after the token of a sign-in that was left is revoked at the server")
    func leftSignIn() async throws {
        try await AppFixture.with { fixture in
            let (asked, gate) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
            let server = try FaultServer { request in
                if request.path == "/api/me" {
                    asked.continuation.yield()
                    gate.wait()
                }
                return DownloadFixture.signIn(request) ?? .init(status: 404)
            }
            let app = fixture.start()
            let connect = try await app.connect()
            connect.address = server.url("")
            connect.next()
            let screen = try await app.signInScreen()
            (screen.email, screen.password) = fixture.ada
            screen.login()
            for await _ in asked.stream { break }
            guard case .signIn(let flow) = app.state else { throw Unexpected() }
            flow.back()
            gate.signal()
            // The app ends after this.
            await app.commands.finish()
            #expect(server.requests.map(\.path).last == "/api/auth/mobile/logout")
        }
    }

    @Test("OX-9 IM-16 all links that no sign-in waits for are one message")
    func unexpectedLinks() {
        let error = LatchError(.noPendingSignIn, "No sign-in is waiting for this link. Sign in again.")
        #expect(AppScreen.Text.unexpectedLinks([]) == nil)
        #expect(AppScreen.Text.unexpectedLinks([error]) == error.message)
        #expect(AppScreen.Text.unexpectedLinks(Array(repeating: error, count: 3_000))?.hasPrefix("3000 links") == true)
    }

    @Test(
        "OX-8 OX-9 each provider is a button, a wrong link is refused at its field, and the pasted link signs in",
        arguments: ["onyx", "immich", "timetracker", "relate-mail"])
    func pasted(_ family: String) async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let screen = try await fixture.signInScreen(app, of: family)
            screen.password = "typed before the choice"
            let cancelled = try await app.useBrowser(screen)
            #expect(screen.password.isEmpty)
            cancelled.cancel()
            #expect(try await app.signInScreen() === screen && screen.error == nil)

            let browser = try await app.useBrowser(screen)
            browser.link = "https://example.org/not-the-link"
            browser.useLink()
            try await observed { browser.linkError == BrowserScreen.Text.unrecognizedLink }
            #expect(browser.link == "https://example.org/not-the-link")
            // Another message may be there: that no program is registered for the link of the browser. It takes time.
            #expect(!browser.messages.contains(BrowserScreen.Text.unrecognizedLink))
            browser.link = try await fixture.link(from: try #require(browser.address))
            #expect(browser.linkError == nil)
            browser.useLink()
            #expect(try await app.main().account.userEmail == fixture.ada.email)
        }
    }

    @Test(
        "OX-9 IM-7 RM-5 TT-3 the browser returns to the app by loopback, or by the link that the desktop passes on",
        arguments: ["onyx", "immich", "timetracker", "relate-mail"])
    func returned(_ family: String) async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let browser = try await app.useBrowser(fixture.signInScreen(app, of: family))
            let link = try await fixture.link(from: try #require(browser.address))
            #expect(link.hasPrefix("http://127.0.0.1:") == (family == "onyx"))
            if family == "onyx" {
                #expect(try await Program.run("curl", ["--silent", link]).status == 0)
            } else {
                try CallbackLink(link).deliver(folders: fixture.folders)
            }
            #expect(try await app.main().account.userEmail == fixture.ada.email)
        }
    }

    @Test(
        "IM-7 RM-5 TT-1 if no program is registered for the link of the browser, the screen says what to do",
        arguments: [false, true])
    func noHandler(_ isRegistered: Bool) async throws {
        try await AppFixture.with { fixture in
            if isRegistered { try fixture.registerProgram(for: "relate-mail") }
            let app = fixture.start()
            let screen = try await fixture.signInScreen(app, of: "relate-mail")
            let browser = try await app.useBrowser(screen)
            await browser.query.finish()
            let sentences = isRegistered ? [] : [BrowserScreen.Text.noHandler("relate-mail")]
            #expect(browser.messages == sentences)
        }
    }

    @Test("OX-9 a sign-in that returns by loopback needs no registered program")
    func loopbackNeedsNoHandler() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let browser = try await app.useBrowser(fixture.signInScreen(app, of: "onyx"))
            await browser.query.finish()
            #expect(browser.messages.isEmpty)
        }
    }

    @Test(
        "RM-3 after another program has signed out of the only account, the address of a server is asked for"
    )
    func signedOutElsewhere() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let main = try await fixture.signIn(app)
            let other = try await LatchClient.open(fixture.configuration)
            try await other.signOut(main.account)
            // Until the account is removed, it may be shown as signed out.
            let connect: ConnectScreen = try await app.value {
                if case .signIn(let flow) = $0, case .connect(let screen) = flow.state, screen.address.isEmpty {
                    screen
                } else {
                    nil
                }
            }
            #expect(!connect.canContinue && app.accounts?.rows.isEmpty == true)
            await other.close()
        }
    }

    @Test("RM-1 an app that was stopped starts again with its account, as for a second start while the first one ends")
    func restarted() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let first = try await fixture.signIn(app)
            await app.stop()
            guard case .opening = app.state else { throw Unexpected() }
            #expect(app.accounts == nil && app.log() == nil)
            app.start()
            let second = try await app.main()
            #expect(second !== first && second.account.id == first.account.id)
        }
    }
}

/// The work of a screen.
@MainActor
@Suite("Screen task", .timeLimit(.minutes(1)))
struct ScreenTaskTests {
    @Test("OX-9 the end of the work includes all work that was cancelled before")
    func cancelled() async {
        let work = ScreenTask()
        var held: [CheckedContinuation<Void, Never>] = []
        var ended: [Int] = []
        for number in 0..<2 {
            let begun = AsyncStream.makeStream(of: Void.self)
            work.start { _ in
                await withCheckedContinuation {
                    held.append($0)
                    begun.continuation.yield()
                }
                ended.append(number)
            }
            for await _ in begun.stream { break }
        }
        work.cancel()
        held[1].resume()
        Task {
            while ended.isEmpty { await Task.yield() }
            // Time for the end, which must not come yet.
            for _ in 0..<100 { await Task.yield() }
            held[0].resume()
        }
        await work.finish()
        #expect(ended == [1, 0])
    }
}

/// A state that the test does not expect.
struct Unexpected: Error {}
