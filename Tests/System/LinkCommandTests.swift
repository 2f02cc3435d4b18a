import Foundation
import HTTPClient
import HTTPMessages
import TestSupport
import Testing

/// `latchd user link` as an operator types it.
@Suite(.blocking, .inTurn, .timeLimit(.minutes(20))) struct LinkCommandTests {
    @Test func `OX-7 an account that somebody registered is linked only with force, and loses its sign-in methods`()
        async throws
    {
        let folder = try TemporaryDirectory()
        let fixture = try SystemFixture([
            "LATCHD_DIALECTS_ONYX_REGISTRATION": "true", "LATCHD_AUDIT_LOG": folder.file("audit"),
            "LATCHD_PUBLIC_URL": "http://127.0.0.1:9", "LATCHD_PROVIDERS_HOME_TITLE": "Home",
            "LATCHD_PROVIDERS_HOME_ISSUER": "http://127.0.0.1:9", "LATCHD_PROVIDERS_HOME_CLIENT_ID": "latch",
            "LATCHD_PROVIDERS_HOME_CLIENT_SECRET": "a secret of 32 characters or more",
        ])
        let gateway = try await fixture.startGateway()
        let http = try HTTPClient()
        try await attempt {
            let account = #"{"email":"\#(SystemFixture.email)","password":"\#(SystemFixture.password)"}"#
            let registered = try await http.send(
                ClientRequest(
                    method: .post, url: gateway.address + "/api/auth/register",
                    headers: ["Content-Type": JSON.mediaType], body: Array(account.utf8)))
            #expect(registered.status.rawValue == 201, "\(String(decoding: registered.body, as: UTF8.self))")
            try await refusedAndForced(fixture)
            let audit = try String(contentsOfFile: folder.file("audit"), encoding: .utf8)
            #expect(audit.contains("removed-unproved") && audit.contains("identity-linked"))
        } finally: {
            await http.close()
            await gateway.kill()
        }
    }

    private func refusedAndForced(_ fixture: SystemFixture) async throws {
        // Some sign-in has had the subject, so that only the address is in doubt.
        let person = try await fixture.latchd("user", "add", "bob@example.org", "--invite")
        #expect(person.status == 0, "\(person.errors)")
        #expect(try await fixture.latchd("user", "link", "bob@example.org", "home", "sub-1", "--force").status == 0)
        #expect(try await fixture.latchd("user", "unlink", "bob@example.org", "home").status == 0)

        let refused = try await fixture.latchd("user", "link", SystemFixture.email, "home", "sub-1")
        #expect(refused.status == 1 && refused.output.isEmpty)
        for text in [
            "proved that this address belongs", "Give --force", "its password, PIN", "its keys are revoked",
        ] {
            #expect(refused.errors.contains(text), "\(refused.errors)")
        }
        let before = try await fixture.latchd("user", "show", SystemFixture.email, "--json").json()
        let forced = try await fixture.latchd("user", "link", SystemFixture.email, "home", "sub-1", "--force")
        #expect(forced.status == 0 && forced.output.contains("Removed its password, PIN and other identities"))
        let after = try await fixture.latchd("user", "show", SystemFixture.email, "--json").json()
        #expect(before["hasPassword"] == true && after["hasPassword"] == false, "\(before) \(after)")
    }
}
