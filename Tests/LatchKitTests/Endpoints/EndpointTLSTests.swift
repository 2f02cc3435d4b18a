import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import LatchKit

/// Addresses with different certificates, over real sockets and TLS.
@Suite(.blocking, .timeLimit(.minutes(20))) struct EndpointTLSTests {
    private let fixture: EndpointFixture
    private var base: ImmichFixture { fixture.base }

    init() throws { fixture = try EndpointFixture() }

    /// A server behind a certificate of its own.
    private struct Secured {
        let server: ScriptedServer
        let front: TLSFront
        private let folder: TemporaryDirectory
        var address: ServerAddress { get throws { try ServerAddress("https://127.0.0.1:\(front.port)") } }

        init(_ server: ScriptedServer) async throws {
            (self.server, folder) = (server, try TemporaryDirectory())
            front = try await TLSFront(to: UInt16(server.port), in: folder)
        }

        /// An endpoint with this address that trusts one authority only.
        func endpoint(trusting certificate: String) throws -> Endpoint {
            let options = ConnectionOptions(authorities: .only(pemFile: certificate))
            return Endpoint(
                id: UUID(), address: try address, connection: StoredConnection(options, replacing: nil).record)
        }
    }

    @Test("IM-13 IM-14 of a foreign, an untrusted, a dead, a slow and a fast address, the fast one is used")
    func five() async throws {
        let immich = base.immich
        let foreign = try await Secured(
            ScriptedServer { request in
                guard request.path == "/api/users/me" else { return immich.response(request) }
                return .json(#"{"id":"another id","email":"ada@example.org","name":"Ada"}"#)
            })
        let (untrusted, dead) = (try await Secured(fixture.mirror()), try await Secured(fixture.mirror()))
        dead.server.stop()
        let release = DispatchSemaphore(value: 0)
        defer { release.signal() }
        let slow = try await Secured(
            ScriptedServer { request in
                release.wait()
                // Later requests do not wait either.
                release.signal()
                return immich.response(request)
            })
        let fast = try await Secured(fixture.mirror())
        let latch = try await base.home.open(headStart: EndpointSelector.headStart)
        let account = try await base.signIn(latch)
        base.wire.stop()
        let person = try await latch.session(for: account).accounts.account(account.id)
        let endpoints = [
            try foreign.endpoint(trusting: foreign.front.certificate),
            // The certificate of another address.
            try untrusted.endpoint(trusting: fast.front.certificate),
            try dead.endpoint(trusting: dead.front.certificate),
            try slow.endpoint(trusting: slow.front.certificate),
            try fast.endpoint(trusting: fast.front.certificate),
        ]
        try await latch.accounts.changeEndpoints(of: account.id) { settings in
            (settings.person, settings.external) = (ImmichScript.me, endpoints)
        }

        let session = try latch.session(for: account)
        #expect(try await session.client.send(.get, "/api/sessions").status == .ok)

        #expect(fast.server.count("/api/sessions") == 1 && session.state.isSignedIn)
        #expect(untrusted.server.requests.isEmpty, "nothing may be sent to an address that is not trusted")
        #expect(foreign.server.requests.allSatisfy { $0.path == "/api/users/me" })
        #expect(slow.server.count("/api/sessions") == 0)
        #expect(try await latch.accounts.account(account.id) == person)
        let codes = try await testCodes(latch, account, except: try slow.address)
        #expect(codes == [.serverRefused, .certificateSelfSigned, .connectionLost, nil])
        release.signal()
        await latch.close()
    }

    /// The result of a test of each endpoint but one.
    private func testCodes(
        _ latch: LatchClient, _ account: Account, except address: ServerAddress
    ) async throws -> [LatchError.Code?] {
        var codes: [LatchError.Code?] = []
        for endpoint in try await latch.endpoints(of: account).all where endpoint.address != address {
            do {
                try await latch.testEndpoint(endpoint, of: account)
                codes.append(nil)
            } catch let error as LatchError { codes.append(error.code) }
        }
        return codes
    }

    @Test(
        "IM-13 IM-14 a download over TLS continues at an address with another certificate, if the version is the same")
    func download() async throws {
        let (head, tail) = ("the first half, ", "the second half")
        let whole = head + tail
        let immich = base.immich
        let fields: HTTPHeaders = ["Content-Type": "application/octet-stream", "ETag": #""1""#]
        let (first, second) = (try await Secured(fixture.mirror()), try await Secured(fixture.mirror()))
        first.server.script { [weak server = first.server] request in
            guard request.path.hasPrefix("/file") else { return immich.response(request) }
            server?.stop()
            return .init(headers: fields, body: head, missing: tail.utf8.count)
        }
        second.server.script { request in
            guard request.path.hasPrefix("/file") else { return immich.response(request) }
            guard request.headers["If-Range"] == #""1""#, request.headers["Range"] == "bytes=\(head.utf8.count)-" else {
                return .init(status: 400)
            }
            var response = ScriptedServer.Response(status: 206, headers: fields, body: tail)
            response.headers["Content-Range"] = "bytes \(head.utf8.count)-\(whole.utf8.count - 1)/\(whole.utf8.count)"
            return response
        }
        let latch = try await base.home.open()
        let account = try await base.signIn(latch)
        for one in [first, second] {
            try await latch.addEndpoint(
                try one.address, connection: .init(authorities: .only(pemFile: one.front.certificate)), to: account)
        }

        let path = fixture.folder.file("file")
        try await latch.session(for: account).client.download("/file", to: path)

        #expect(try String(contentsOfFile: path, encoding: .utf8) == whole)
        #expect(first.server.count("/file") == 1 && second.server.count("/file") == 1)
        #expect(fixture.switches(latch).last == "127.0.0.1:\(second.front.port) ok")
        await latch.close()
    }
}
