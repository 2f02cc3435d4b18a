import Foundation
import LatchKit
import TestSupport
import Testing

@testable import LatchScreens

/// The accounts of a device, and what can be managed at the server of one.
@MainActor
@Suite("Account screens", .timeLimit(.minutes(5)))
struct AccountScreensTests {
    @Test("RM-2 RM-3 accounts are added, switched and signed out of, one and all, and the app follows")
    func accounts() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            _ = try await fixture.signIn(app)
            let accounts = try #require(app.accounts)
            accounts.add()
            let connect = try await app.connect()
            connect.address = try fixture.url("onyx")
            connect.next()
            let screen = try await app.signInScreen()
            (screen.email, screen.password) = fixture.ada
            screen.login()
            let main: MainScreen = try await app.value {
                if case .main(let screen) = $0, screen.account.dialect.rawValue == "onyx" { screen } else { nil }
            }
            try await observed { accounts.rows.count == 2 && accounts.rows.filter(\.isActive).count == 1 }
            let (active, other) = (main.account.id, try #require(accounts.rows.first { !$0.isActive }).id)

            // A command does not cancel the one before it.
            accounts.use(other)
            accounts.askToSignOut(of: active)
            await accounts.finishCommands()
            #expect(try await app.client?.accounts.accounts().first(where: \.isActive)?.id == other)
            #expect(accounts.isAsking(about: [active], naming: fixture.ada.email))
            accounts.cancel()
            let switched: MainScreen = try await app.value {
                if case .main(let screen) = $0, screen.account.id == other { screen } else { nil }
            }
            #expect(switched !== main)

            accounts.askToSignOut(of: active)
            try await observed { accounts.isAsking(about: [active], naming: fixture.ada.email) }
            accounts.cancel()
            #expect(accounts.state == .list(nil) && accounts.rows.count == 2)
            accounts.askToSignOut(of: active)
            try await observed { accounts.isAsking(about: [active], naming: fixture.ada.email) }
            accounts.confirm()
            try await observed { accounts.state == .list(nil) && accounts.rows.map(\.id) == [other] }
            #expect(accounts.warnings.isEmpty)
            #expect(try await app.main() === switched)

            accounts.askToSignOutOfAll()
            try await observed { accounts.isAsking(about: [other], naming: fixture.ada.email) }
            accounts.confirm()
            _ = try await app.connect()
            #expect(accounts.rows.isEmpty)
        }
    }

    @Test("IM-2 leaving the sign-in of another account returns to the app")
    func leave() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let main = try await fixture.signIn(app)
            app.addAccount()
            guard case .signIn(let flow) = app.state, flow.canLeave else { throw Unexpected() }
            flow.back()
            #expect(try await app.main().account.id == main.account.id)
        }
    }

    @Test("RM-3 a switch by another program shows the other account")
    func elsewhere() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            _ = try await fixture.signIn(app)
            let other = try await LatchClient.open(fixture.configuration)
            let server = try await other.probe(ServerAddress(try fixture.url("onyx"))).requireServer()
            let signIn = try PasswordSignIn(email: fixture.ada.email, password: Secret(fixture.ada.password))
            let account = try await other.signIn(signIn, to: server)
            let shown: MainScreen = try await app.value {
                if case .main(let screen) = $0, screen.account.id == account.id { screen } else { nil }
            }
            #expect(shown.account.isActive)
            await other.close()
        }
    }

    @Test("The sessions of the person are listed, and another one is ended")
    func sessions() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let main = try await fixture.signIn(app)
            let other = try await fixture.signInElsewhere("Second")

            let account = main.accountScreen()
            #expect(account.sections == [.sessions, .endpoints, .connection, .password, .pin])
            let sessions = account.sessions()
            sessions.load()
            try await observed { sessions.state.rows.count == 2 }
            let current = try #require(sessions.state.rows.first { $0.isCurrent })
            sessions.askToEnd(current.id)
            #expect(sessions.question == nil && !sessions.canEndOthers)
            let leaving = try #require(sessions.state.rows.first { !$0.isCurrent })
            sessions.askToEnd(leaving.id)
            #expect(sessions.question?.title == SessionsScreen.Text.endTitle)
            #expect(sessions.question?.text.contains(leaving.device) == true)
            #expect(sessions.question?.text.contains(fixture.ada.email) == true)
            sessions.cancel()
            sessions.confirm()
            #expect(sessions.question == nil && sessions.state.rows.count == 2)
            sessions.askToEnd(leaving.id)
            sessions.confirm()
            try await observed { sessions.state.rows.count == 1 }
            #expect(sessions.state == .loaded([current], nil))
            await other.close()
        }
    }

    @Test("All other sessions are ended at once after a question that names them, and this one stays")
    func otherSessions() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let main = try await fixture.signIn(app)
            for name in ["Second", "Third"] { await (try await fixture.signInElsewhere(name)).close() }
            let sessions = main.accountScreen().sessions()
            sessions.load()
            try await observed { sessions.state.rows.count == 3 }
            let current = try #require(sessions.state.rows.first { $0.isCurrent })
            #expect(sessions.canEndOthers)
            sessions.askToEndOthers()
            let question = try #require(sessions.question)
            for row in sessions.state.rows where !row.isCurrent { #expect(question.text.contains(row.device)) }
            sessions.confirm()
            try await observed { sessions.state == .loaded([current], nil) }
        }
    }

    @Test("Sessions are ended also after the page is left, and the number of those that were not is told")
    func unendedSessions() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let main = try await fixture.signIn(app)
            var others: [LatchClient] = []
            for name in ["Second", "Third", "Fourth"] { others.append(try await fixture.signInElsewhere(name)) }
            let sessions = main.accountScreen().sessions()
            sessions.load()
            try await observed { sessions.state.rows.count == 4 }
            for other in others.prefix(2) {
                for account in try await other.accounts.accounts() { try await other.signOut(account) }
            }
            sessions.askToEndOthers()
            sessions.confirm()
            #expect(sessions.isBusy && sessions.question == nil)
            sessions.askToEndOthers()
            sessions.load()
            #expect(sessions.question == nil)
            try await observed { !sessions.isBusy }
            #expect(sessions.state.rows.count == 1)
            #expect(sessions.state.error?.message.hasPrefix("2 of 3 sessions were not ended.") == true)

            for name in ["Fifth", "Sixth"] { others.append(try await fixture.signInElsewhere(name)) }
            try await endOthersAndLeave(main.accountScreen())
            await app.commands.finish()
            let again = main.accountScreen().sessions()
            again.load()
            try await observed { again.state != .loading }
            #expect(again.state.rows.count == 1)
            for other in others { await other.close() }
        }
    }

    /// Ends all other sessions, and leaves the page at once.
    private func endOthersAndLeave(_ account: AccountScreen) async throws {
        let sessions = account.sessions()
        sessions.load()
        try await observed { sessions.state.rows.count == 3 }
        sessions.askToEndOthers()
        sessions.confirm()
    }

    @Test("RM-8 a key is revoked before another one can be, also after the page is left")
    func keys() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let browser = try await app.useBrowser(fixture.signInScreen(app, of: "relate-mail"))
            browser.link = try await fixture.link(from: try #require(browser.address))
            browser.useLink()
            let account = try await app.main().accountScreen()
            for name in ["Second", "Third"] {
                await (try await fixture.signInElsewhere(name, to: "relate-mail")).close()
            }
            try await revokeAndLeave(account)
            await app.commands.finish()
            let keys = account.keys()
            keys.load()
            try await observed { keys.state != .loading }
            #expect(keys.state.rows.map(\.isCurrent) == [true] && keys.state.error == nil)
        }
    }

    /// Revokes two keys, and leaves the page while the second one is being revoked.
    private func revokeAndLeave(_ account: AccountScreen) async throws {
        let keys = account.keys()
        keys.load()
        try await observed { keys.state.rows.count == 3 }
        let others = keys.state.rows.filter { !$0.isCurrent }.map(\.id)
        keys.askToRevoke(others[0])
        keys.confirm()
        keys.askToRevoke(others[1])
        #expect(keys.isBusy && keys.question == nil)
        keys.load()
        try await observed { !keys.isBusy }
        #expect(keys.state.rows.count == 2 && keys.state.error == nil)
        keys.askToRevoke(others[1])
        keys.confirm()
    }

    @Test("IM-16 a list that could not be loaded is loaded again, and a failed command keeps the rows")
    func listState() {
        let failure = LatchError(.timedOut, "The server did not respond. Try again.")
        let first = ListState<SessionsScreen.Row>.loading.failed(failure)
        #expect(first.hasFailed && first.error == ScreenError(failure))
        let rows = (0..<502).map {
            SessionsScreen.Row(id: "\($0)", device: "A", lastUsed: nil, isCurrent: false)
        }
        let second = ListState.loaded(rows, nil).failed(failure)
        #expect(!second.hasFailed && second.rows.count == 502 && second.shownRows.count == 500)
        #expect(second.note?.contains("502") == true && ListState.loaded(Array(rows.prefix(500)), nil).note == nil)
    }

    @Test("IM-13 IM-14 an address that is not the same server is refused with its reason, and networks are edited")
    func endpoints() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let main = try await fixture.signIn(app)
            let screen = main.accountScreen().endpoints()
            screen.load()
            try await observed { screen.state.rows.count == 1 && !screen.isBusy }
            #expect(screen.state.rows[0].kind == .own)

            screen.address = try fixture.url("onyx")
            screen.add()
            try await observed { !screen.isBusy }
            #expect(screen.state.error != nil && screen.state.rows.count == 1 && !screen.address.isEmpty)

            let port = try #require(try ServerAddress(try fixture.url("immich")).port)
            screen.address = "http://localhost:\(port)"
            screen.isLocal = true
            screen.add()
            try await observed { screen.state.rows.count == 2 && !screen.isBusy }
            #expect(screen.state.rows[0].kind == .local && screen.address.isEmpty && screen.state.error == nil)
            screen.test()
            try await observed { !screen.isBusy }
            #expect(screen.state.rows.map(\.test) == [EndpointsScreen.Text.usable, EndpointsScreen.Text.usable])

            // No command begins before another one has ended.
            let local = screen.state.rows[0].address
            screen.address = try fixture.url("onyx")
            screen.add()
            screen.remove(local)
            screen.test()
            try await observed { !screen.isBusy }
            #expect(screen.state.error != nil && screen.state.rows.first?.address == local)

            screen.network = "  Home sweet home "
            screen.addNetwork()
            try await observed { screen.networks == ["Home sweet home"] && !screen.isBusy }
            screen.removeNetwork("Home sweet home")
            try await observed { screen.networks.isEmpty && !screen.isBusy }
            screen.remove(screen.state.rows[0].address)
            try await observed { screen.state.rows.count == 1 && !screen.isBusy }
        }
    }

    @Test("IM-16 the log shows what was done, is cleared, and follows other programs")
    func log() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            _ = try await fixture.signIn(app)
            let log = try #require(app.log())
            let running = Task { await log.run() }
            try await observed { log.state.rows.contains { $0.text.hasPrefix("sign-in: ok") && !$0.isFailure } }
            #expect(!log.text.contains(fixture.ada.password) && log.text.contains("sign-in: ok"))
            log.clear()
            try await observed { log.state == .loaded([], nil) }

            let free = try HeldPort()
            let other = try await LatchClient.open(fixture.configuration)
            _ = try await other.probe(ServerAddress("http://127.0.0.1:\(free.number)"))
            try await observed { log.state.rows.first?.isFailure == true }
            await other.close()
            running.cancel()
            await running.value
        }
    }
}

extension AccountsScreen {
    /// Whether the question is about these accounts, and names one.
    fileprivate func isAsking(about ids: [Account.ID], naming name: String) -> Bool {
        if case .confirming(ids, let text) = state { text.contains(name) } else { false }
    }
}
