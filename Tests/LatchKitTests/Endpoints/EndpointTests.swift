import Crypto
import Database
import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import LatchKit

/// Local and external addresses of one server.
@Suite(.timeLimit(.minutes(20))) struct EndpointTests {
    private let fixture: EndpointFixture
    private var base: ImmichFixture { fixture.base }

    init() throws { fixture = try EndpointFixture() }

    @Test("IM-13 the local address is used on its Wi-Fi network, and the next one on others, also after a restart")
    func switching() async throws {
        let (local, external) = (try fixture.mirror(), try fixture.mirror())
        var latch = try await base.home.open()
        let account = try await base.signIn(latch)
        let stored = try await latch.accounts.account(account.id)
        try await latch.addEndpoint(try EndpointFixture.address(local), isLocal: true, to: account)
        try await latch.addEndpoint(try EndpointFixture.address(external), to: account)
        try await latch.addWifiName("Home sweet home", of: account)
        try await latch.addWifiName("Attic", of: account)
        base.home.network.join("Attic")
        await latch.close()

        latch = try await base.home.open()
        let session = try await latch.activeSession()
        let before = base.wire.requests.count
        #expect(try await session.client.send(.get, "/api/sessions").status == .ok)
        #expect(local.count("/api/sessions") == 1 && external.count("/api/sessions") == 0)
        #expect(base.wire.requests.count == before, "the own address was asked although the preferred one responds")
        #expect(try await session.client.send(.get, base.address.url + "/api/sessions").status == .ok)
        #expect(local.count("/api/sessions") == 2, "a complete URL is below the own address")

        base.home.network.join("Café")
        try await eventually { fixture.switches(latch).last == "\(external.authority) ok" }
        #expect(try await session.client.send(.get, "/api/sessions").status == .ok)
        #expect(local.count("/api/sessions") == 2 && external.count("/api/sessions") == 1)
        #expect(fixture.switches(latch).suffix(2) == ["\(local.authority) ok", "\(external.authority) ok"])
        #expect(session.state.isSignedIn)
        #expect(try await latch.accounts.account(account.id) == stored)
        await latch.close()
    }

    @Test("IM-13 after a transport failure the request is repeated at another address, once and only if that is safe")
    func failover() async throws {
        let (first, second) = (try fixture.mirror(), try fixture.mirror())
        let latch = try await base.home.open()
        let account = try await base.signIn(latch)
        try await latch.addEndpoint(try EndpointFixture.address(first), to: account)
        try await latch.addEndpoint(try EndpointFixture.address(second), to: account)
        let client = try latch.session(for: account).client
        _ = try await client.send(.get, "/api/sessions")
        #expect(first.count("/api/sessions") == 1)

        // The connection is lost, so it is not known whether the server has acted.
        first.script { _ in .silence }
        let lost = try await #require(throws: LatchError.self) { try await client.send(.post, "/api/sessions") }
        #expect(lost.code == .connectionLost)
        #expect(second.count("/api/sessions") == 0 && base.wire.count("/api/sessions") == 0)
        #expect(fixture.switches(latch).last == "\(second.authority) ok", "the next request goes to another address")
        _ = try await client.send(.get, "/api/sessions")
        #expect(second.count("/api/sessions") == 1)

        second.script { _ in .silence }
        _ = try await client.send(.get, "/api/sessions")
        #expect(base.wire.count("/api/sessions") == 1, "the own address is always a candidate")

        // A refused connection has sent nothing, so any request is repeated.
        second.script { [immich = base.immich] in immich.response($0) }
        base.wire.stop()
        #expect(try await client.send(.post, "/api/auth/validateToken").status == .ok)
        #expect(second.count("/api/auth/validateToken") == 1)
        #expect(try latch.session(for: account).state.isSignedIn)
        await latch.close()
    }

    @Test("IM-13 a download continues at another address with the same version of the file")
    func download() async throws {
        let (first, second) = (try fixture.mirror(), try fixture.mirror())
        let latch = try await base.home.open()
        let account = try await base.signIn(latch)
        for server in [first, second] { try await latch.addEndpoint(try EndpointFixture.address(server), to: account) }
        let (head, tail) = ("the first half, ", "the second half")
        let immich = base.immich
        let fields: HTTPHeaders = ["Content-Type": "application/octet-stream", "ETag": #""1""#]
        first.script { [weak first] request in
            guard request.path == "/file" else { return immich.response(request) }
            first?.stop()
            return .init(headers: fields, body: head, missing: tail.utf8.count)
        }
        second.script { request in
            guard request.path == "/file" else { return immich.response(request) }
            var response = ScriptedServer.Response(status: 206, headers: fields, body: tail)
            let last = (head + tail).utf8.count - 1
            response.headers["Content-Range"] = "bytes \(head.utf8.count)-\(last)/\(last + 1)"
            return response
        }
        let path = fixture.folder.file("file")
        try await latch.session(for: account).client.download("/file", to: path)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == head + tail)
        let rest = try #require(second.requests.last { $0.path == "/file" })
        #expect(rest.headers["Range"] == "bytes=\(head.utf8.count)-" && rest.headers["If-Range"] == #""1""#)
        #expect(first.count("/file") == 1 && second.count("/file") == 1)
        await latch.close()
    }

    @Test("IM-14 with one dead and one silent address, one of the others is used")
    func race() async throws {
        let (dead, alive, silent) = (try fixture.mirror(), try fixture.mirror(), try SilentServer())
        let latch = try await base.home.open(headStart: EndpointSelector.headStart)
        let account = try await base.signIn(latch)
        for server in [dead, alive] { try await latch.addEndpoint(try EndpointFixture.address(server), to: account) }
        let quiet = try ServerAddress("http://127.0.0.1:\(silent.port)")
        try await latch.accounts.changeEndpoints(of: account.id) { settings in
            let options = StoredConnection(.init(), replacing: nil)
            settings.external.insert(Endpoint(id: UUID(), address: quiet, connection: options.record), at: 1)
        }
        dead.stop()
        #expect(try await latch.session(for: account).client.send(.get, "/api/sessions").status == .ok)
        // On a busy machine the own address may respond first.
        #expect(alive.count("/api/sessions") + base.wire.count("/api/sessions") == 1)
        await latch.close()
    }

    @Test("IM-13 the identity request of a start is also the check of the address, and a later one is sent again")
    func oneRequest() async throws {
        let mirror = try fixture.mirror()
        var latch = try await base.home.open()
        let account = try await base.signIn(latch)
        try await latch.addEndpoint(try EndpointFixture.address(mirror), to: account)
        await latch.close()

        latch = try await base.home.open()
        let session = try await latch.activeSession()
        let (before, own) = (mirror.count("/api/users/me"), base.wire.requests.count)
        #expect(await session.restore() == .signedIn(.verified))
        #expect(mirror.count("/api/users/me") == before + 1 && base.wire.requests.count == own)
        _ = try await session.identity()
        #expect(mirror.count("/api/users/me") == before + 2)
        await latch.close()
    }

    @Test("IM-13 an address that is removed while it is being checked is not used")
    func removedDuringCheck() async throws {
        let mirror = try fixture.mirror()
        let latch = try await base.home.open()
        let account = try await base.signIn(latch)
        try await latch.addEndpoint(try EndpointFixture.address(mirror), to: account)
        let (asked, isAsked) = AsyncStream<Void>.makeStream()
        let gate = DispatchSemaphore(value: 0)
        mirror.script { [immich = base.immich] in
            if $0.path == "/api/users/me" {
                isAsked.yield()
                gate.wait()
                gate.signal()
            }
            return immich.response($0)
        }
        let client = try latch.session(for: account).client
        async let first = client.send(.get, "/api/sessions")
        for await _ in asked { break }
        let other = try await base.home.open()
        try await other.removeEndpoint(try EndpointFixture.address(mirror), of: account)
        let before = base.wire.count("/api/users/me")
        async let second = client.send(.get, "/api/sessions")
        // If the second request waits for the same check as the first, the own address is not asked.
        for _ in 0..<1000 where base.wire.count("/api/users/me") == before {
            try await Task.sleep(for: .milliseconds(4))
        }
        gate.signal()
        _ = try await (first, second)
        #expect(mirror.count("/api/sessions") == 0 && base.wire.count("/api/sessions") == 2)
        await latch.close()
        await other.close()
    }

    @Test("IM-13 a session that is released without close() ends its watch of the network")
    func released() async throws {
        let mirror = try fixture.mirror()
        let latch = try await base.home.open()
        let account = try await base.signIn(latch)
        try await latch.addEndpoint(try EndpointFixture.address(mirror), to: account)
        let stored = try #require(try await latch.accounts.account(account.id))
        do {
            let session = Session(
                account: stored, dialect: ImmichDialect(), accounts: latch.accounts, device: Device(program: "latch"))
            #expect(try await session.client.send(.get, "/api/sessions").status == .ok)
            #expect(base.home.network.watcherCount > 0)
        }
        await latch.close()
        try await eventually { base.home.network.watcherCount == 0 }
    }

    @Test("IM-13 when no address responds, the error names the own address, and the session is kept")
    func none() async throws {
        let mirror = try fixture.mirror()
        var latch = try await base.home.open()
        let account = try await base.signIn(latch)
        try await latch.addEndpoint(try EndpointFixture.address(mirror), to: account)
        await latch.close()
        mirror.stop()
        base.wire.stop()
        latch = try await base.home.open()
        let session = try latch.session(for: account)
        let error = try await #require(throws: LatchError.self) { try await session.client.send(.get, "/api/sessions") }
        #expect(error.code == .connectionRefused && error.message.contains(base.wire.authority))
        #expect(session.state.isSignedIn)
        await latch.close()
    }

    @Test("IM-11 signing out at an address in use ends the session, and deletes addresses, names and secrets")
    func signOut() async throws {
        let mirror = try fixture.mirror()
        let latch = try await base.home.open()
        let account = try await base.signIn(latch)
        let secret = "a key of the proxy in front"
        try await latch.addEndpoint(
            try EndpointFixture.address(mirror), connection: .init(extraHeaders: ["X-Key": secret]), to: account)
        try await latch.addWifiName("Home sweet home", of: account)
        let endpoint = try #require(try await latch.endpoints(of: account).all.first)
        #expect(try await base.home.secrets.read(AccountStore.connectionKey(endpoint.id)) != nil)
        #expect(try base.home.files(holding: secret).isEmpty)
        #expect(try base.home.files(holding: "Home sweet home").count > 0)

        #expect(try await latch.signOut(account).isRevoked)
        let logouts = mirror.requests.filter { $0.path == "/api/auth/logout" }
        #expect(logouts.count == 1 && logouts.first?.headers["X-Key"] == secret)
        #expect(try await base.home.secrets.read(AccountStore.connectionKey(endpoint.id)) == nil)
        #expect(
            try await latch.accounts.database.read { try $0.first(AccountStore.selectEndpoints, account.id) } == nil)
        await latch.close()
    }

    @Test(
        "IM-11 a crash during the sign-out deletes the addresses and their secrets at the next start",
        arguments: [AccountStep.leavingRecorded, .leavingWiped])
    func crash(step: AccountStep) async throws {
        let mirror = try fixture.mirror()
        let first = try await base.home.open()
        let account = try await base.signIn(first)
        try await first.addEndpoint(
            try EndpointFixture.address(mirror), connection: .init(extraHeaders: ["X-Key": "1"]), to: account)
        let endpoint = try #require(try await first.endpoints(of: account).all.first)
        await first.close()
        let second = try await base.home.open(stoppingAfter: step)
        await #expect(throws: Stopped.self) { try await second.signOut(account) }
        await second.close()

        let third = try await base.home.open()
        #expect(try await base.home.secrets.read(AccountStore.connectionKey(endpoint.id)) == nil)
        #expect(
            try await third.accounts.database.read { try $0.first(AccountStore.selectEndpoints, account.id) } == nil)
        await third.close()
    }

    @Test("IM-13 addresses and names are changed one by one, and a running session follows")
    func changes() async throws {
        let (one, two) = (try fixture.mirror(), try fixture.mirror())
        let latch = try await base.home.open()
        let account = try await base.signIn(latch)
        let client = try latch.session(for: account).client
        _ = try await client.send(.get, "/api/sessions")
        let other = try await base.home.open()
        try await other.addEndpoint(try EndpointFixture.address(one), to: account)
        try await other.addEndpoint(try EndpointFixture.address(two), to: account)
        _ = try await client.send(.get, "/api/sessions")
        #expect(one.count("/api/sessions") == 1)
        try await other.preferEndpoint(try EndpointFixture.address(two), of: account)
        _ = try await client.send(.get, "/api/sessions")
        #expect(two.count("/api/sessions") == 1)
        try await other.removeEndpoint(try EndpointFixture.address(two), of: account)
        try await other.removeEndpoint(try EndpointFixture.address(one), of: account)
        _ = try await client.send(.get, "/api/sessions")
        #expect(base.wire.count("/api/sessions") == 2)

        try await other.addWifiName("Attic", of: account)
        try await other.addWifiName("Attic", of: account)
        #expect(try await other.endpoints(of: account).wifiNames == ["Attic"])
        try await other.removeWifiName("Attic", of: account)
        for act in [
            { try await other.removeWifiName("Attic", of: account) }, { try await other.addWifiName("", of: account) },
            { try await other.addWifiName(String(repeating: "a", count: 33), of: account) },
            { try await other.removeEndpoint(base.address, of: account) },
            { try await other.preferEndpoint(base.address, of: account) },
            { try await other.addEndpoint(base.address, to: account) },
        ] as [() async throws -> Void] {
            #expect(try await #require(throws: LatchError.self) { try await act() }.code == .invalidRequest)
        }
        await latch.close()
        await other.close()
    }
}
