import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import HTTPServer
import LatchGateway
import TestSupport
import Testing

@Suite("The configuration file")
struct ConfigurationFileTests {
    private func write(_ text: String, to path: String, mode: Int = 0o600) throws {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test("is searched in the user's folder, and the state is in the XDG state folder")
    func defaultLocation() throws {
        let folder = try TemporaryDirectory()
        let environment = ["XDG_CONFIG_HOME": folder.path + "/c", "XDG_STATE_HOME": folder.path + "/s"]

        let without = try ConfigurationFile(path: nil, environment: environment)
        try write("loops: 5\n", to: folder.path + "/c/latchd/latchd.yaml")
        let with = try ConfigurationFile(path: nil, environment: environment)

        #expect(without.configuration.settings.database.path == folder.path + "/s/latchd/latchd.db")
        #expect(with.path == folder.path + "/c/latchd/latchd.yaml")
        #expect(with.configuration.server.loops == 5)
        #expect(with.warnings.isEmpty)
    }

    @Test("falls back to the home folder when a base folder is relative")
    func home() throws {
        let folder = try TemporaryDirectory()
        let file = try ConfigurationFile(path: nil, environment: ["HOME": folder.path, "XDG_STATE_HOME": "x"])
        #expect(file.configuration.settings.database.path == folder.path + "/.local/state/latchd/latchd.db")
    }

    @Test("warns if people can set an unverified address and backends get people's addresses")
    func unverifiedAddresses() throws {
        let folder = try TemporaryDirectory()
        func warnings(_ dialects: String, verify: Bool) throws -> [String] {
            let verify =
                "public_url: https://id.example.org\ntrusted_proxies: [127.0.0.1]\nverify: {enabled: \(verify)}\n"
            try write(verify + "dialects: {\(dialects)}\n", to: folder.path + "/latchd.yaml")
            return try ConfigurationFile(path: folder.path + "/latchd.yaml", environment: ["HOME": folder.path])
                .warnings
        }
        let onyx = "onyx: {registration: true}"
        let immich = "immich: {enabled: true, email_change: true}"

        #expect(try warnings(onyx, verify: false).isEmpty)
        #expect(try warnings("onyx: {registration: false}", verify: true).isEmpty)
        #expect(try warnings("immich: {enabled: false, email_change: true}", verify: true).isEmpty)
        #expect(try warnings(onyx, verify: true).map { $0.hasPrefix("dialects.onyx.registration and") } == [true])
        #expect(try warnings("\(onyx), \(immich)", verify: true).map { $0.contains("X-Auth-User") } == [true, true])
    }

    @Test("warns of access rules whose requirements nobody meets, or that have no effect")
    func requirements() throws {
        let folder = try TemporaryDirectory()
        func warnings(_ rule: String) throws -> [String] {
            let verify = "public_url: https://id.example.org\ntrusted_proxies: [127.0.0.1]\nverify: {enabled: true}\n"
            try write(verify + "access:\n  one: \(rule)\n", to: folder.path + "/latchd.yaml")
            return try ConfigurationFile(path: folder.path + "/latchd.yaml", environment: ["HOME": folder.path])
                .warnings.filter { $0.hasPrefix("access.one.") }
        }

        #expect(try warnings("{paths: /a}").isEmpty)
        #expect(try warnings("{acr: multi-factor}").first?.hasPrefix("access.one.acr lets nobody in") == true)
        #expect(try warnings("{scopes: notes.read}").first?.hasPrefix("access.one.scopes has no effect") == true)
        #expect(try warnings("{groups: admins}").first?.hasPrefix("access.one.groups lets nobody in") == true)
        #expect(try warnings("{groups: admins, users: ada@example.org}").isEmpty)
    }

    @Test("resolves relative paths against its own folder")
    func relative() throws {
        let folder = try TemporaryDirectory()
        try write("database: d.db\n", to: folder.path + "/l.yaml")
        let file = try ConfigurationFile(path: folder.path + "/l.yaml", environment: [:])
        #expect(file.configuration.settings.database.path == folder.path + "/d.db")
    }

    @Test("warns about a relative path of the database from the environment")
    func relativeDatabase() throws {
        let folder = try TemporaryDirectory()
        let environment = ["XDG_CONFIG_HOME": folder.path, "XDG_STATE_HOME": folder.path]
        let file = try ConfigurationFile(
            path: nil, environment: environment.merging(["LATCHD_DATABASE": "here.db"]) { $1 })
        #expect(file.warnings.count == 1)
        let absolute = FileManager.default.currentDirectoryPath + "/here.db"
        #expect(file.warnings.first?.contains("'here.db' is a relative path, which means '\(absolute)'") == true)
        #expect(try ConfigurationFile(path: nil, environment: environment).warnings.isEmpty)
    }

    @Test("produces a warning if others may write it")
    func writable() throws {
        let folder = try TemporaryDirectory()
        try write("", to: folder.path + "/l.yaml", mode: 0o622)
        let file = try ConfigurationFile(path: folder.path + "/l.yaml", environment: [:])
        #expect(file.warnings.count == 1)
        #expect(file.warnings.first?.contains("chmod go-w") == true)
    }

    @Test("causes a separate error if it was named and is missing or not a regular file")
    func missing() throws {
        let folder = try TemporaryDirectory()
        for path in [folder.path + "/none.yaml", folder.path, "/dev/zero"] {
            let error = #expect(throws: ConfigurationError.self) {
                try ConfigurationFile(path: path, environment: [:])
            }
            #expect(error?.code == .noFile)
            #expect(error?.message.contains(path) == true)
        }
    }
}
