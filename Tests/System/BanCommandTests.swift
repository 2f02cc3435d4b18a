import Foundation
import HTTPMessages
import TestSupport
import Testing

/// `latchd bans` as an operator types it.
@Suite(.blocking, .inTurn, .timeLimit(.minutes(20))) struct BanCommandTests {
    @Test func `addresses are banned for a time or for ever, listed, changed, removed, and recorded`() async throws {
        let folder = try TemporaryDirectory()
        let fixture = try SystemFixture([
            "LATCHD_TRUSTED_PROXIES": "10.0.0.0/8", "LATCHD_AUDIT_LOG": folder.file("audit"),
        ])
        _ = try await fixture.latchd(
            "user", "add", SystemFixture.email, "--password-stdin", input: SystemFixture.password + "\n")
        let added = try await fixture.latchd("bans", "add", "203.0.113.7", "--for", "12h", "--note", "scans\u{1b}[2J")
        #expect(added.status == 0 && added.output.hasPrefix("Requests of 203.0.113.7/32 are refused until "))
        #expect(
            try await fixture.latchd("bans", "add", "2001:db8::/32").output
                == "Requests of 2001:db8::/32 are refused until the ban is removed.\n")
        for (network, reason) in [
            ("203.0.113.7/24", "the bits after the prefix must be zero"), ("127.0.0.1", "this machine"),
            ("10.1.0.0/16", "trusted_proxies"),
        ] {
            let refused = try await fixture.latchd("bans", "add", network)
            #expect(refused.status == 65 && refused.errors.contains(reason), "\(refused.errors)")
        }
        #expect(try await fixture.latchd("bans", "add", "203.0.113.8", "--for", "soon").status == 64)

        // Another time, with the same note.
        #expect(try await fixture.latchd("bans", "add", "203.0.113.7", "--for", "1d").status == 0)
        let list = try JSONValue(parsing: Array(try await fixture.latchd("bans", "list", "--json").output.utf8))
        #expect(list.array?.map { $0["network"] } == ["203.0.113.7/32", "2001:db8::/32"])
        #expect(list.array?.map { $0["expiresAt"]?.string == nil } == [false, true])
        #expect(list.array?.first?["note"]?.string?.hasPrefix("scans") == true)
        let table = try await fixture.latchd("bans", "list").output
        #expect(table.contains("203.0.113.7/32") && !table.contains("\u{1b}"))

        #expect(try await fixture.latchd("bans", "remove", "203.0.113.7").status == 0)
        #expect(try await fixture.latchd("bans", "remove", "203.0.113.7").status == 66)
        let audit = try String(contentsOfFile: folder.file("audit"), encoding: .utf8)
        #expect(audit.contains("address-banned") && audit.contains("ban-removed"))
    }
}
