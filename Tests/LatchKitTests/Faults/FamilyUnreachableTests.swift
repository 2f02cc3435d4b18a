import Database
import Foundation
import TestSupport
import Testing

@testable import LatchKit

/// Addresses at which no server can be had any more: its name is gone, or its certificate is none to trust.
@Suite(.timeLimit(.minutes(20))) struct FamilyUnreachableTests {
    enum Cause: String, Sendable, CaseIterable, CustomTestStringConvertible {
        case unknownName = "a name that is not found"
        case selfSigned = "a self-signed certificate"
        case expired = "an expired certificate"
        var testDescription: String { rawValue }

        var code: LatchError.Code {
            switch self {
            case .unknownName: .nameNotFound
            case .selfSigned: .certificateSelfSigned
            case .expired: .certificateExpired
            }
        }
    }

    /// `openssl s_server` with a certificate that stands behind itself.
    private final class TLSServer: @unchecked Sendable {
        // Used by one test, which starts and stops it.
        let process: ChildProcess
        let authority: Authority
        let port: Int

        init(_ authority: Authority, _ pair: Authority.Pair) async throws {
            self.authority = authority
            process = try ChildProcess(
                "openssl",
                ["s_server", "-HTTP", "-accept", "127.0.0.1:0", "-key", pair.key, "-cert", pair.certificate],
                directory: authority.folder.path, errors: .nowhere)
            var output = ""
            while !output.hasSuffix("\n") || !output.contains("ACCEPT") {
                let more = process.output.read()
                try #require(!more.isEmpty)
                output += String(decoding: more, as: UTF8.self)
            }
            let line = output.split(separator: "\n").first { $0.hasPrefix("ACCEPT") }
            port = try #require(line?.split(separator: ":").last.flatMap { Int($0) })
        }
    }

    @Test(
        "an address that has become unreachable or untrusted allows no sign-in and ends no session",
        arguments: Cause.allCases)
    func unreachableOrUntrusted(_ cause: Cause) async throws {
        var bad = try ServerAddress("http://nowhere.invalid")
        var connection = ConnectionOptions(proxy: "")
        var tls: TLSServer?
        if cause != .unknownName {
            let authority = try await Authority.make()
            let isExpired = cause == .expired
            let pair =
                isExpired
                ? try await authority.issue(from: "20200101000000Z", to: "20200201000000Z")
                : try await authority.selfSigned()
            let server = try await TLSServer(authority, pair)
            if isExpired { connection.authorities = .only(pemFile: authority.own.certificate) }
            bad = try ServerAddress("https://127.0.0.1:\(server.port)")
            tls = server
        }
        defer { withExtendedLifetime(tls) {} }
        let (address, options) = (bad, connection)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for family in Family.all { group.addTask { try await check(family, cause, address, options) } }
            try await group.waitForAll()
        }
    }

    private func check(
        _ family: Family, _ cause: Cause, _ bad: ServerAddress, _ connection: ConnectionOptions
    ) async throws {
        let fixture = try await family.make()
        var latch = try await fixture.home.open()
        let report = try await latch.probe(bad, connection: connection)
        #expect(report.failure?.code == cause.code, "\(family.name): \(String(describing: report.failure))")
        let found = try await fixture.find(latch, connection)
        // Who knows the server from before finds it moved, and where it sent people to with it.
        let move = { (details: [String: String]) in
            details.mapValues { $0.replacing(fixture.door.url, with: bad.url) }
        }
        let server = Server(
            address: bad, dialect: found.dialect.with(details: move(found.dialect.details)), features: found.features,
            connection: connection)
        let refused = try await #require(throws: LatchError.self) { try await fixture.begin(latch, server) {} }
        #expect(refused.code == cause.code, "\(family.name): \(refused)")
        #expect(try await latch.accounts.rowIDs().isEmpty)
        let account = try await fixture.begin(latch, found) {}
        let update = Statement("UPDATE accounts SET server_url = ?, details = ?", String.self, String.self)
        let moved = AccountSchema.text(move(account.details))
        try await latch.accounts.database.write { _ = try $0.run(update, bad.url, moved) }
        await latch.close()

        latch = try await fixture.home.open()
        let stored = try #require(try await latch.accounts.account(account.id))
        let session = try latch.session(for: stored)
        #expect(await session.restore().isSignedIn)
        let error = try await #require(throws: LatchError.self) { try await session.identity() }
        #expect(error.code == cause.code, "\(family.name): \(error)")
        fixture.home.clock.advance(by: 700)
        _ = try await session.validToken()
        #expect(try await latch.accounts.account(account.id)?.isSignedIn == true)
        let signOut = try await latch.signOut(stored)
        #expect(!signOut.isRevoked && signOut.failure?.code == cause.code, "\(String(describing: signOut.failure))")
        try await fixture.expectCompleteOrAbsent(latch, [account.id])
        await latch.close()
        await fixture.stop()
    }
}
