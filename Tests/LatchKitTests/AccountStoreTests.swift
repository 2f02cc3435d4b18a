import Crypto
import Database
import Foundation
import HTTPClient
import HTTPMessages
import TestSupport
import Testing

@testable import LatchKit

@Suite(.timeLimit(.minutes(20))) struct AccountStoreTests {
    private let home = try! HomeFixture()

    private func account(_ name: String, at moment: Date = Date(timeIntervalSince1970: 1_700_000_000)) throws -> Account
    {
        Account(
            displayName: name, serverURL: try ServerAddress("https://mail.example.org/\(name)"),
            userEmail: "\(name)@example.org", apiKeyID: "key-\(name)", scopes: ["api:read", "app"], createdAt: moment,
            dialect: DialectID(rawValue: "onyx"))
    }

    @Test("RM-1 the nine fields survive a restart, and no key is in the file")
    func nineFields() async throws {
        let first = try await home.open()
        let ada = try account("ada")
        try await home.secrets.write(Secret("very-secret-token"), for: AccountStore.tokenKey(ada.id))
        try await first.accounts.addAccount(ada)
        await first.close()

        let second = try await home.open()
        let stored = try #require(try await second.accounts.accounts().first)
        #expect(stored.id == ada.id && stored.displayName == "ada" && stored.serverURL == ada.serverURL)
        #expect(
            stored.userEmail == "ada@example.org" && stored.apiKeyID == "key-ada"
                && stored.scopes == ["api:read", "app"])
        #expect(stored.createdAt == ada.createdAt && stored.lastUsedAt == ada.lastUsedAt && stored.isActive)
        let names = try #require(JSONSerialization.jsonObject(with: JSONEncoder().encode(stored)) as? [String: Any])
            .keys
        #expect(
            Set(names).isSuperset(of: [
                "id", "displayName", "serverUrl", "userEmail", "apiKeyId", "scopes", "createdAt", "lastUsedAt",
                "isActive",
            ]))
        await second.close()
        for file in try FileManager.default.subpathsOfDirectory(atPath: home.folders.data) {
            let data = FileManager.default.contents(atPath: home.folders.data + "/" + file) ?? Data()
            #expect(!data.leaks("very-secret-token"))
        }
    }

    @Test("RM-2 a new account becomes active, the first remaining one after a removal, and at most one is active")
    func activity() async throws {
        let store = try await home.open().accounts
        let (ada, ben, cleo) = (try account("ada"), try account("ben"), try account("cleo"))
        for account in [ada, ben, cleo] { try await store.addAccount(account) }
        #expect(try await store.activeAccount()?.id == cleo.id)

        home.clock.advance(by: 60)
        try await store.setActiveAccount(ben.id)
        #expect(try await store.activeAccount()?.id == ben.id)
        #expect(try await store.account(ben.id)?.lastUsedAt == home.clock.now)
        #expect(try await store.account(cleo.id)?.lastUsedAt == cleo.lastUsedAt)

        try await store.removeAccount(ben.id)
        #expect(try await store.activeAccount()?.id == ada.id)
        try await store.removeAccount(cleo.id)
        #expect(try await store.activeAccount()?.id == ada.id)
        try await store.removeAccount(ada.id)
        #expect(try await store.activeAccount() == nil)
        try await store.removeAccount(ada.id)
    }

    @Test("RM-2 updates change only the named fields, and a missing account is an error")
    func updates() async throws {
        let store = try await home.open().accounts
        let ada = try account("ada")
        try await store.addAccount(ada)

        try await store.updateAccount(ada.id, AccountUpdate(displayName: "Ada L.", scopes: []))
        home.clock.advance(by: 5)
        try await store.updateLastUsed(ada.id)

        let stored = try #require(try await store.account(ada.id))
        #expect(stored.displayName == "Ada L." && stored.scopes.isEmpty && stored.apiKeyID == "key-ada")
        #expect(stored.lastUsedAt == home.clock.now)
        for act in [
            { try await store.setActiveAccount(UUID()) }, { try await store.updateLastUsed(UUID()) },
            { try await store.updateAccount(UUID(), AccountUpdate(displayName: "x")) },
        ] as [@Sendable () async throws -> Void] {
            let error = try await #require(throws: LatchError.self) { try await act() }
            #expect(error.code == .noAccount)
        }
        #expect(try await store.activeAccount()?.id == ada.id)
        let twice = try await #require(throws: LatchError.self) { try await store.addAccount(try account("ada")) }
        #expect(twice.code == .ambiguousAccount)
        #expect(try await store.activeAccount()?.id == ada.id)
    }

    @Test("an account with an invalid address is reported, does not hide the others, and can be removed")
    func unreadable() async throws {
        let store = try await home.open().accounts
        let (ada, ben) = (try account("ada"), try account("ben"))
        for account in [ada, ben] { try await store.addAccount(account) }
        let spoil = Statement("UPDATE accounts SET server_url = 'ftp://?' WHERE id = ?", UUID.self)
        try await store.change { _ = try $0.run(spoil, ada.id) }

        #expect(try await store.accounts().map(\.id) == [ben.id])
        let unreadable = try await store.unreadableAccounts()
        #expect(unreadable.map(\.id) == [ada.id])
        #expect(unreadable.first?.address == "ftp://?" && unreadable.first?.userEmail == ada.userEmail)

        try await store.removeAccount(ada.id)
        #expect(try await store.unreadableAccounts().isEmpty)
    }

    @Test("an account keeps its number until it is removed, and no later account gets it")
    func numbers() async throws {
        let store = try await home.open().accounts
        let all = try ["a", "b", "c"].map { try account($0) }
        for account in all { try await store.addAccount(account) }
        #expect(try await store.accounts().map(\.number) == [1, 2, 3])
        #expect(try await store.account(matching: "2").id == all[1].id)

        try await store.removeAccount(all[0].id)
        try await store.removeAccount(all[2].id)
        #expect(try await store.account(matching: "2").id == all[1].id)
        let later = try account("d")
        try await store.addAccount(later)
        #expect(try await store.accounts().map(\.number) == [2, 4])
        for removed in ["1", "3"] {
            let error = try await #require(throws: LatchError.self) { try await store.account(matching: removed) }
            #expect(error.code == .noAccount && error.message == "There is no account '\(removed)' here.")
        }
    }

    @Test("IM-3 OX-10 the address of a found server is stored until the next sign-in, for at most 30 days")
    func discoveredServer() async throws {
        let fixture = try OnyxFixture()
        var latch = try await fixture.home.open()
        #expect(try await latch.accounts.discoveredServer() == nil)
        for address in ["https://photos.example.org", "https://time.example.org/team"] {
            try await latch.accounts.storeDiscoveredServer(try ServerAddress(address))
        }
        await latch.close()
        latch = try await fixture.home.open()
        #expect(try await latch.accounts.discoveredServer()?.url == "https://time.example.org/team")
        fixture.home.clock.advance(by: 30 * 86_400 + 1)
        #expect(try await latch.accounts.discoveredServer() == nil)
        try await latch.accounts.storeDiscoveredServer(fixture.address)
        #expect(try await latch.accounts.discoveredServer() == fixture.address)
        _ = try await fixture.signIn(latch)
        #expect(try await latch.accounts.discoveredServer() == nil)
        await latch.close()
    }

    @Test("RM-2 several programs racing to set the active account leave exactly one")
    func race() async throws {
        let programs = [try await home.open(), try await home.open(), try await home.open()]
        let all = try ["a", "b", "c", "d"].map { try account($0) }
        for account in all { try await programs[0].accounts.addAccount(account) }

        try await withThrowingTaskGroup(of: Void.self) { group in
            for round in 0..<60 {
                let (program, account) = (programs[round % 3], all[round % 4])
                group.addTask { try await program.accounts.setActiveAccount(account.id) }
                if round % 5 == 0 {
                    group.addTask {
                        let count = try await program.accounts.accounts().count(where: \.isActive)
                        #expect(count == 1)
                    }
                }
            }
            try await group.waitForAll()
        }

        for program in programs {
            #expect(try await program.accounts.accounts().count(where: \.isActive) == 1)
        }
    }

    @Test("RM-3 streams send the current state first and then each change")
    func streams() async throws {
        let store = try await home.open().accounts
        var active = store.activeAccountUpdates.makeAsyncIterator()
        var list = store.accountsUpdates.makeAsyncIterator()
        var any = store.hasAccountsUpdates.makeAsyncIterator()
        #expect(await active.next() == .some(nil))
        #expect(await list.next() == [])
        #expect(await any.next() == false)

        let ada = try account("ada")
        try await store.addAccount(ada)

        #expect(await active.next()??.id == ada.id)
        #expect(await list.next()?.map(\.id) == [ada.id])
        #expect(await any.next() == true)
    }

    @Test("RM-3 streams send changes of another program")
    func streamsAcrossPrograms() async throws {
        let (mine, other) = (try await home.open().accounts, try await home.open().accounts)
        var active = mine.activeAccountUpdates.makeAsyncIterator()
        #expect(await active.next() == .some(nil))

        let ada = try account("ada")
        try await other.addAccount(ada)

        #expect(await active.next()??.id == ada.id)
        try await other.removeAccount(ada.id)
        #expect(await active.next() == .some(nil))
    }

    @Test("an account is found by host, e-mail address or id")
    func matching() async throws {
        let store = try await home.open().accounts
        let ada = try account("ada")
        try await store.addAccount(ada)
        var second = try account("ada")
        second.serverURL = try ServerAddress("other.example.org")
        try await store.addAccount(second)

        #expect(try await store.account(matching: "other.example.org").id == second.id)
        #expect(try await store.account(matching: String(ada.id.uuidString.prefix(8))).id == ada.id)
        #expect(try await store.account(matching: "ada@example.org@other.example.org").id == second.id)
        let several = try await #require(throws: LatchError.self) {
            try await store.account(matching: "ada@example.org")
        }
        #expect(several.code == .ambiguousAccount)
        var below = try account("ada")
        below.serverURL = try ServerAddress("other.example.org/Photos")
        try await store.addAccount(below)
        #expect(try await store.account(matching: "ada@example.org@other.example.org/Photos").id == below.id)
        #expect(try await store.account(matching: "ada@example.org@other.example.org").id == second.id)
        var capital = try account("capital")
        capital.userEmail = "Älva@example.org"
        try await store.addAccount(capital)
        #expect(try await store.account(matching: "Älva@Example.org").id == capital.id)
        let none = try await #require(throws: LatchError.self) { try await store.account(matching: "ben") }
        #expect(none.code == .noAccount)
    }

    @Test("an account with a port is found by e-mail and host if only one matches; several are listed")
    func withoutPort() async throws {
        let store = try await home.open().accounts
        var first = try account("ada")
        first.serverURL = try ServerAddress("http://127.0.0.1:2283")
        try await store.addAccount(first)
        #expect(try await store.account(matching: "Ada@example.org@127.0.0.1").id == first.id)
        var second = try account("ada")
        second.serverURL = try ServerAddress("http://127.0.0.1:2284")
        try await store.addAccount(second)
        let error = try await #require(throws: LatchError.self) {
            try await store.account(matching: "ada@example.org@127.0.0.1")
        }
        #expect(error.code == .ambiguousAccount && error.message.contains("127.0.0.1:2284"), "\(error.message)")
        #expect(try await store.account(matching: "ada@example.org@127.0.0.1:2284").id == second.id)
    }

    @Test("files are 0600 in folders of 0700")
    func modes() async throws {
        let latch = try await home.open()
        try await latch.accounts.addAccount(try account("ada"))
        try await latch.accounts.removeAccount(try #require(try await latch.accounts.activeAccount()).id)

        let files = FileManager.default
        func mode(_ path: String) throws -> Int? {
            (try files.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
        }
        #expect(try mode(home.folders.data) == 0o700)
        for name in try files.subpathsOfDirectory(atPath: home.folders.data) {
            let isFolder = name == "locks"
            #expect(try mode(home.folders.data + "/" + name) == (isFolder ? 0o700 : 0o600), "\(name)")
        }
    }

    @Test("a folder that others can write to, or that belongs to another user, is refused with the remedy")
    func foreignFolders() async throws {
        let folder = home.folders.data
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for mode in [0o777, 0o770, 0o702] as [mode_t] {
            #expect(chmod(folder, mode) == 0)
            let error = await #expect(throws: LatchError.self) { _ = try await home.open() }
            #expect(error?.code == .storageFailed && error?.message.contains("chmod 700 '\(folder)'") == true)
        }
        #expect(chmod(folder, 0o755) == 0)
        _ = try await home.open()

        // Only root can give a folder away.
        guard geteuid() == 0 else { return }
        try #require(chown(folder, 1_000, 1_000) == 0)
        let error = await #expect(throws: LatchError.self) { _ = try await home.open() }
        #expect(error?.code == .storageFailed && error?.message.contains("'\(folder)': it belongs to") == true)
        try #require(chown(folder, 0, 0) == 0)
    }

    @Test("XDG_DATA_HOME is used if it is absolute, and HOME otherwise")
    func folders() throws {
        #expect(try Folders(environment: ["XDG_DATA_HOME": "/x/", "HOME": "/h"]).data == "/x/latchstring")
        #expect(try Folders(environment: ["XDG_DATA_HOME": "x", "HOME": "/h"]).data == "/h/.local/share/latchstring")
        #expect(try Folders(environment: ["XDG_DATA_HOME": "", "HOME": "/h"]).data == "/h/.local/share/latchstring")
        #expect(throws: LatchError.self) { try Folders(environment: ["HOME": "h"]) }
    }
}
