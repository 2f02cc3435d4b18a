import Foundation
import HTTPMessages
import TestSupport
import Testing

/// docs/command-line.md's table of what `--json` prints, against what every command really prints at the sandbox's servers.
@Suite(.blocking, .inTurn, .timeLimit(.minutes(20))) struct DocumentedOutputTests {
    /// What only a fault or a certificate brings, and no command of this test.
    private static let rare: Set = [
        "problem", "certificate", "bodyBase64", "error", "pictures", "firstSync", "deviceId",
    ]

    @Test("every command's JSON has exactly the members in the page's table")
    func members() async throws {
        let page = try String(contentsOfFile: Products.packageFolder + "/docs/command-line.md", encoding: .utf8)
        try await SandboxFixture.with { fixture in
            try await check(fixture, try #require(Self.table(page)), Self.members(ofAccountIn: page))
        }
    }

    private func check(_ place: SandboxFixture, _ table: [String: Set<String>], _ account: Set<String>) async throws {
        let (email, password) = (place.sandbox.email, place.sandbox.password)
        var seen: [String: Set<String>] = [:]
        func run(_ row: String, _ words: String..., input: String = "") async throws {
            let response = try await Program.run(
                "setsid", ["--wait", Products.path("latch")] + words + ["--json"],
                environment: place.base.environment,
                input: input)
            let json = try response.json()
            #expect(response.status == 0, "\(words): \(response.output) \(response.errors)")
            let names = Set(json.members.map(\.name))
            #expect(names.isSubset(of: table[row] ?? []), "\(words): \(names.subtracting(table[row] ?? []))")
            seen[row, default: []].formUnion(names)
            if let value = json["account"] { #expect(Set(value.members.map(\.name)) == account, "\(words)") }
        }
        func url(_ name: String) throws -> String { try #require(place.sandbox.json[name]?["url"]?.string) }

        try await run(
            "register", "register", try url("onyx"), "-e", "eve@example.org", "--password-stdin",
            input: "a long enough password 7")
        try await run("login", "login", try url("onyx"), "-e", email, "--password-stdin", input: password)
        try await run("accounts", "accounts")
        try await run("use", "use", email)
        try await run("whoami", "whoami")
        try await run("request", "request", "GET", "/api/me")
        try await run("token", "token")
        try await run("tls", "tls", "--proxy", "none")
        try await run("headers", "headers", "list")
        try await run("headers", "headers", "set", "X-One", "1")
        try await run("headers", "headers", "remove", "X-One")
        try await run("doctor", "doctor")
        try await run("logs", "logs")
        try await run("logout", "logout")

        let key = ["--browser", "--callback", "loopback", "--browser-command", place.browser()]
        try await run("login", "login", try url("relate-mail"), key[0], key[1], key[2], key[3], key[4])
        try await run("keys list", "keys", "list")
        try await run("keys rotate", "keys", "rotate")
        let keys = try JSONValue(parsing: Array(try await place.latch("keys", "list", "--json").output.utf8))
        try await run("keys revoke", "keys", "revoke", keys["keys"]?.array?.first?["id"]?.string ?? "", "--yes")

        try await run("login", "login", try url("immich"), "-e", email, "--password-stdin", input: password)
        try await run("sessions list", "sessions", "list")
        try await run("sessions revoke", "sessions", "revoke", "--others")
        try await run("pin", "pin", "status")
        try await run("pin", "pin", "set", "--pin-stdin", input: "123456\n")
        try await run("lock", "pin", "local", "status")
        try await run("endpoints test", "endpoints", "test")
        try await run("other `endpoints` commands", "endpoints", "list")
        try await run("password", "password", "--password-stdin", input: "\(password)\nanother long password 8\n")
        try await run("register-schemes", "register-schemes")
        try await run("register-schemes", "register-schemes", "--remove")
        try await run("completions", "completions", "bash")

        // Downloads have tests of their own, and `watch` runs until it is stopped.
        for (row, names) in table where !row.hasPrefix("download") && row != "watch" {
            #expect(names.subtracting(Self.rare).isSubset(of: seen[row] ?? []), "\(row): \(seen[row] ?? [])")
        }
    }

    /// The members of each row of the table below the heading `value`, without what stands in brackets.
    private static func table(_ page: String) -> [String: Set<String>]? {
        guard let start = page.firstRange(of: "| command | value |") else { return nil }
        var table: [String: Set<String>] = [:]
        for line in page[start.upperBound...].split(separator: "\n").dropFirst() {
            guard line.hasPrefix("| ") else { break }
            let cells = line.split(separator: "|").map(String.init)
            let command = cells[0].trimmingCharacters(in: CharacterSet(charactersIn: " `"))
            let outside = cells[1...].joined().replacing(/\([^)]*\)/, with: "")
            table[command] = Set(outside.matches(of: /`([A-Za-z]+)`/).map { String($0.1) })
        }
        return table
    }

    private static func members(ofAccountIn page: String) -> Set<String> {
        guard let start = page.firstRange(of: "An account is ") else { return [] }
        let sentence = page[start.upperBound...].prefix { $0 != ";" }
        return Set(sentence.matches(of: /`([A-Za-z]+)`/).map { String($0.1) })
    }
}

extension JSONValue {
    /// The members of an object; none of anything else.
    fileprivate var members: [Member] {
        if case .object(let members) = self { members } else { [] }
    }
}
