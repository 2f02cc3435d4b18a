import Crypto
import Foundation
import HTTPMessages
import Synchronization
import TestSupport
import Testing

@testable import LatchKit

/// Which addresses receive the token.
@Suite(.timeLimit(.minutes(20))) struct EndpointTrustTests {
    private let fixture: EndpointFixture
    private var base: ImmichFixture { fixture.base }

    init() throws { fixture = try EndpointFixture() }

    private func refusal(
        _ latch: LatchClient, _ address: ServerAddress, _ account: Account, _ options: ConnectionOptions = .init()
    ) async throws -> LatchError {
        let error = try await #require(throws: LatchError.self) {
            try await latch.addEndpoint(address, connection: options, to: account)
        }
        #expect(try await latch.endpoints(of: account).all.isEmpty, "nothing is stored")
        return error
    }

    @Test("IM-14 an address receives the token only after its certificate passed under its own settings")
    func certificate() async throws {
        let (one, two) = (try fixture.mirror(), try fixture.mirror())
        let folders = (try TemporaryDirectory(), try TemporaryDirectory())
        let first = try await TLSFront(to: UInt16(one.port), in: folders.0)
        let second = try await TLSFront(to: UInt16(two.port), in: folders.1)
        let address = try ServerAddress("https://127.0.0.1:\(first.port)")
        let other = try ServerAddress("https://127.0.0.1:\(second.port)")
        let pin = try #require(CertificateFingerprint(first.fingerprint))
        let latch = try await base.home.open()
        // The account's own options trust this certificate, but they are not those of another address.
        let account = try await base.signIn(
            latch, connection: .init(authorities: .systemAnd(pemFile: second.certificate)))

        #expect(try await refusal(latch, other, account).code == .certificateSelfSigned)
        let wrong = try await refusal(latch, other, account, .init(pinnedCertificate: pin))
        #expect(wrong.code == .certificatePinMismatch)
        #expect(two.requests.isEmpty, "nothing at all was sent")

        try await latch.addEndpoint(address, connection: .init(pinnedCertificate: pin), to: account)
        let session = try latch.session(for: account)
        _ = try await session.client.send(.get, "/api/sessions")
        #expect(one.count("/api/sessions") == 1)

        // The certificate at the stored address changes.
        try await latch.accounts.changeEndpoints(of: account.id) { settings in
            let record = settings.external[0].connection
            settings.external = [Endpoint(id: UUID(), address: other, connection: record)]
        }
        _ = try await session.client.send(.get, "/api/sessions")
        #expect(base.wire.count("/api/sessions") == 1 && two.requests.isEmpty)
        let refused = try await #require(throws: LatchError.self) {
            try await latch.testEndpoint(try #require(try await latch.endpoints(of: account).all.first), of: account)
        }
        #expect(refused.code == .certificatePinMismatch && two.requests.isEmpty)
        await latch.close()
    }

    @Test("IM-14 another server, another person and a page are refused")
    func others() async throws {
        let latch = try await base.home.open()
        let account = try await base.signIn(latch)
        let stranger = ImmichScript(.newest)
        let another = try ScriptedServer { stranger.response($0) }
        let foreign = try await refusal(latch, try EndpointFixture.address(another), account)
        #expect(foreign.code == .serverRefused && foreign.message.contains("another server"))

        let immich = base.immich
        let person = try ScriptedServer { request in
            guard request.path == "/api/users/me" else { return immich.response(request) }
            return .json(#"{"id":"another id","email":"ada@example.org","name":"Ada"}"#)
        }
        let who = try await refusal(latch, try EndpointFixture.address(person), account)
        #expect(who.code == .serverRefused && who.message.contains("different person"))

        let page = try ScriptedServer { _ in .page(200) }
        let portal = try await refusal(latch, try EndpointFixture.address(page), account)
        #expect(portal.code == .unsupportedServer && !page.hasToken)

        let plain = try await refusal(latch, try ServerAddress("http://photos.example.org"), account)
        #expect(plain.code == .invalidRequest && plain.message.contains("not encrypted"))
        #expect(try latch.session(for: account).state.isSignedIn)
        await latch.close()
    }

    @Test("IM-14 an address that becomes another server is left, and only the own address ends a session")
    func replaced() async throws {
        let mirror = try fixture.mirror()
        let latch = try await base.home.open()
        let account = try await base.signIn(latch)
        try await latch.addEndpoint(try EndpointFixture.address(mirror), to: account)
        let session = try latch.session(for: account)
        _ = try await session.client.send(.get, "/api/sessions")
        #expect(mirror.count("/api/sessions") == 1)

        let stranger = ImmichScript(.newest)
        mirror.script { stranger.response($0) }
        #expect(try await session.client.send(.get, "/api/sessions").status == .ok)
        #expect(base.wire.count("/api/sessions") == 1 && session.state.isSignedIn)
        #expect(fixture.switches(latch).last == "\(base.wire.authority) rejected")

        base.immich.set { $0.live = [:] }
        let ended = try await #require(throws: LatchError.self) { try await session.client.send(.get, "/api/sessions") }
        #expect(ended.code == .sessionEnded)
        await latch.close()
    }

    @Test(
        "IM-14 while only the own address could confirm a rejection and cannot be reached, state and error say so",
        arguments: [true, false])
    func unconfirmed(isStart: Bool) async throws {
        let mirror = try fixture.mirror()
        let latch = try await base.home.open()
        let account = try await base.signIn(latch)
        try await latch.addEndpoint(try EndpointFixture.address(mirror), to: account)
        let session = try latch.session(for: account)
        if !isStart {
            #expect(await session.restore() == .signedIn(.verified))
        }
        let live = base.immich.state.withLock(\.live)
        base.immich.set { $0.live = [:] }
        let port = base.wire.port
        base.wire.stop()

        let error = try await #require(throws: LatchError.self) { try await session.client.send(.get, "/api/sessions") }
        #expect(error.code == .rejectionUnconfirmed && error.code.leavesSessionUnknown)
        #expect(error.message.contains(mirror.authority) && error.message.contains("127.0.0.1:\(port), which alone"))
        #expect((error.cause as? LatchError)?.code == .connectionRefused)
        #expect(session.state == .signedIn(.unverified(.rejectionUnconfirmed)))
        #expect(try await latch.accounts.account(account.id)?.isSignedIn == true)

        // The other address accepts the session again, so it was not the session that had ended.
        base.immich.set { $0.live = live }
        #expect(await session.restore() == .signedIn(.verified))
        mirror.stop()
        let offline = try await #require(throws: LatchError.self) {
            try await session.client.send(.get, "/api/sessions")
        }
        #expect(offline.code == .connectionRefused && session.state == .signedIn(.verified))
        await latch.close()
    }

    @Test("IM-14 a late failure of an earlier session does not report a rejection of the present one")
    func lateFailure() async throws {
        let mirror = try fixture.mirror()
        let latch = try await base.home.open()
        let account = try await base.signIn(latch)
        try await latch.addEndpoint(try EndpointFixture.address(mirror), to: account)
        let session = try latch.session(for: account)
        #expect(await session.restore() == .signedIn(.verified))
        let (asked, release) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
        let isDown = Mutex(false)
        base.wire.script { [immich = base.immich] request in
            if request.path == "/api/late" {
                asked.continuation.yield(())
                release.wait()
                return .silence
            }
            return isDown.withLock { $0 } ? .silence : immich.response(request)
        }
        let foreign = ImmichScript(.newest)
        mirror.script { foreign.response($0) }
        let late = Task { try await session.client.send(.get, "/api/late") }
        for await _ in asked.stream { break }

        // The session ends, and another one begins, which the other address rejects too.
        let record = try #require(try await latch.accounts.record(account.id))
        _ = try await latch.accounts.end(account.id, of: record.generation, because: "an administrator ended it")
        #expect(await session.restore().isSignedIn == false)
        #expect(try await base.signIn(latch).id == account.id)
        #expect(await session.restore() == .signedIn(.verified))
        isDown.withLock { $0 = true }
        let present = await #expect(throws: LatchError.self) { try await session.client.send(.get, "/api/sessions") }
        #expect(present?.code == .rejectionUnconfirmed)

        release.signal()
        let error = await #expect(throws: LatchError.self) { try await late.value }
        #expect(error?.code == .connectionLost)
        await latch.close()
    }

    @Test("IM-13 the public address that the server tells is offered and never used")
    func announced() async throws {
        let mirror = try fixture.mirror()
        let address = try EndpointFixture.address(mirror)
        let latch = try await base.home.open()
        let account = try await base.signIn(latch)
        #expect(try await latch.announcedAddress(of: account) == nil)
        base.immich.intercept { request in
            request.path == "/api/server/config" ? .json(#"{"externalDomain":"\#(address.url)/"}"#) : nil
        }
        #expect(try await latch.announcedAddress(of: account) == address)
        #expect(mirror.requests.isEmpty)
        try await latch.addEndpoint(address, to: account)
        #expect(try await latch.announcedAddress(of: account) == nil)
        await latch.close()
    }

    @Test("IM-13 IM-15 the secrets of an endpoint are sealed with a PIN, and readable after it is changed or removed")
    func lock() async throws {
        let mirror = try fixture.mirror()
        let latch = try await base.home.open()
        let account = try await base.signIn(latch)
        try await latch.addEndpoint(
            try EndpointFixture.address(mirror), connection: .init(extraHeaders: ["X-Key": "a value"]),
            to: account)
        let endpoint = try #require(try await latch.endpoints(of: account).all.first)
        func stored() async throws -> SealedSecret? {
            try await base.home.secrets.read(AccountStore.connectionKey(endpoint.id)).flatMap(SealedSecret.init)
        }
        func value() async throws -> String? {
            try await latch.accounts.connection(of: endpoint).extraHeaders["X-Key"]
        }
        let (first, second) = (Secret("274951"), Secret("185520"))
        try await latch.lock.set(first)
        #expect(try await stored() != nil)
        #expect(try await value() == "a value")
        try await latch.lock.change(from: first, to: second)
        #expect(try await stored() != nil)
        #expect(try await value() == "a value")
        try await latch.lock.remove(with: second)
        #expect(try await stored() == nil)
        #expect(try await value() == "a value")

        try await latch.lock.set(first)
        try await latch.lock.forget()
        #expect(try await latch.endpoints(of: account).all.isEmpty)
        #expect(try await base.home.secrets.read(AccountStore.connectionKey(endpoint.id)) == nil)
        await latch.close()
    }

    @Test("IM-13 an endpoint whose secrets are missing is not used, and the error says what to do")
    func missingSecrets() async throws {
        let mirror = try fixture.mirror()
        let latch = try await base.home.open()
        let account = try await base.signIn(latch)
        try await latch.addEndpoint(
            try EndpointFixture.address(mirror), connection: .init(extraHeaders: ["X-Key": "1"]), to: account)
        let endpoint = try #require(try await latch.endpoints(of: account).all.first)
        try await base.home.secrets.remove(AccountStore.connectionKey(endpoint.id))
        let count = mirror.requests.count
        _ = try await latch.session(for: account).client.send(.get, "/api/sessions")
        #expect(base.wire.count("/api/sessions") == 1 && mirror.requests.count == count)
        let error = try await #require(throws: LatchError.self) { try await latch.testEndpoint(endpoint, of: account) }
        #expect(error.code == .secretStoreFailed && error.message.contains("add it again"))
        await latch.close()
    }
}
