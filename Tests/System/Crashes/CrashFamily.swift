import Foundation
import HTTPMessages
import TestSupport
import Testing

/// A row of the table of kills: a family of servers, how its person signs in there, and what is killed.
struct CrashFamily: Sendable, CustomTestStringConvertible {
    /// How the person signs in.
    enum Way: String, Sendable {
        case password, browser
    }

    /// As the sandbox calls it.
    let name: String
    let way: Way
    /// The sandbox's gateway before it, where that has another name.
    var gateway: String?
    /// Whether its servers give keys that live until they are revoked, in place of sessions.
    var givesKeys = false
    var testDescription: String { "\(name), \(way)" }

    var commands: [FamilyCrash.Command] { givesKeys ? [.login, .rotate, .logout] : [.login, .logout] }

    static let all = [
        CrashFamily(name: "onyx", way: .browser), CrashFamily(name: "immich", way: .password),
        CrashFamily(name: "timetracker", way: .browser),
        CrashFamily(name: "relate-mail", way: .browser, givesKeys: true),
        CrashFamily(name: "protected", way: .browser, gateway: "backend"),
    ]

    /// The family's gateway: the sandbox's own or, where that wants too few requests a minute for this, another one with the
    /// sandbox's identity provider.
    func gateway(in place: SandboxFixture) async throws -> (
        url: String, fixture: SystemFixture, running: RunningGateway?
    ) {
        guard givesKeys else {
            let folders = try FileManager.default.contentsOfDirectory(atPath: place.base.folder.path)
            let folder = try #require(folders.first { $0.hasPrefix("latchd-sandbox") })
            let database = place.base.folder.file("\(folder)/\(gateway ?? name).db")
            let url = try #require(place.sandbox.json[name]?["url"]?.string)
            return (url, SystemFixture(sharing: place.base, ["LATCHD_DATABASE": database]), nil)
        }
        let fixture = SystemFixture(
            sharing: place.base,
            [
                "LATCHD_DIALECTS_ONYX_ENABLED": "false", "LATCHD_DIALECTS_RELATE_MAIL_ENABLED": "true",
                "LATCHD_DIALECTS_RELATE_MAIL_CLIENT_ID": "relate-mail",
                "LATCHD_PROVIDERS_SANDBOX_ISSUER": place.sandbox.issuer,
                "LATCHD_PROVIDERS_SANDBOX_CLIENT_ID": "relate-mail",
                "LATCHD_PROVIDERS_SANDBOX_CLIENT_AUTHENTICATION": "none",
                "LATCHD_PROVIDERS_SANDBOX_REGISTRATION": "open", "LATCHD_GUARDS_CREDENTIAL_REQUESTS": "100000",
                "LATCHD_GUARDS_GENERAL_REQUESTS": "100000", "LATCHD_GUARDS_WRITE_REQUESTS": "100000",
                "LATCHD_GUARDS_ADDRESS_REQUESTS": "100000",
            ])
        let running = try await fixture.startGateway()
        return (running.address, fixture, running)
    }
}
