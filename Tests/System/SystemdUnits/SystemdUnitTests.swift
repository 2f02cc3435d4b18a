import Foundation
import TestSupport
import Testing

/// The units of systemd. No systemd runs where the tests do, so its programs check the files, and a gateway runs with the
/// same restrictions as far as other programs can set them.
@Suite("Units of systemd", .blocking, .inTurn, .timeLimit(.minutes(10)))
struct SystemdUnitTests {
    /// Installs the programs that were built, as 'make install' does. Returns the folder of the units.
    private func install(in folder: TemporaryDirectory) async throws -> String {
        let programs = (try Products.path("latchd") as NSString).deletingLastPathComponent
        let result = try await Program.run(
            "\(Products.packageFolder)/scripts/install", [programs, folder.path], environment: nil)
        #expect(result.status == 0, "\(result.errors)")
        return folder.file("lib/systemd/system")
    }

    @Test func `systemd accepts the installed units, and their exposure is as documented`() async throws {
        let folder = try TemporaryDirectory()
        let units = try await install(in: folder)
        // An instance has the name of its file.
        try FileManager.default.copyItem(atPath: "\(units)/latchd@.service", toPath: "\(units)/latchd@one.service")
        for unit in ["latchd.service", "latchd@one.service"] {
            let verified = try await Program.run("systemd-analyze", ["verify", "--man=no", "\(units)/\(unit)"])
            #expect(verified.status == 0, "\(verified.errors)")
            #expect(!verified.errors.contains("latchd"), "\(verified.errors)")
            let security = try await Program.run(
                "systemd-analyze", ["security", "--offline=yes", "--threshold=12", "\(units)/\(unit)"])
            #expect(security.status == 0, "\(security.output)")
            let score = try #require(security.output.firstMatch(of: #/Overall exposure level for .*: ([0-9.]+) /#))
            let page = try String(contentsOfFile: "\(Products.packageFolder)/docs/operations.md", encoding: .utf8)
            #expect(page.contains("Overall exposure level for latchd.service: \(score.output.1) OK"))
        }
        let template = try String(contentsOfFile: "\(units)/latchd@.service", encoding: .utf8)
        #expect(template.contains("\(folder.path)/bin/latchd serve --config /etc/latchd/%i.yaml\n"))
        let users = try await Program.run(
            "systemd-sysusers", ["--dry-run", folder.file("lib/sysusers.d/latchd.conf")])
        #expect(users.status == 0, "\(users.errors)")
    }

    @Test func `a gateway needs no system call, address family or capability that the unit refuses`() async throws {
        let folder = try TemporaryDirectory.forSockets()
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        let fixture = try SystemFixture([
            "LATCHD_DATABASE": folder.file("latchd.db"), "LATCHD_LISTEN": "127.0.0.1:0,unix:\(folder.file("socket"))",
            "LATCHD_AUDIT_LOG": folder.file("audit.jsonl"), "HOME": folder.path,
        ])
        let trace = folder.file("trace")
        let latchd = try Products.path("latchd")
        // A user without rights, and without a way to get some.
        let user =
            getuid() == 0 ? ["--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all"] : []
        let program = try RunningProgram(
            "setpriv",
            user + ["--no-new-privs", "--inh-caps=-all", "strace", "-D", "-f", "-o", trace, latchd, "serve"],
            environment: fixture.environment)
        let line = try await program.line(containing: "listening")
        let port = try #require(line.firstMatch(of: /127\.0\.0\.1:([0-9]+)/)?.output.1)
        let added = try await fixture.latchd(
            "user", "add", SystemFixture.email, "--password-stdin", input: SystemFixture.password + "\n")
        #expect(added.status == 0, "\(added.errors)")
        let signedIn = try await fixture.latch(
            "login", "http://127.0.0.1:\(port)", "--email", SystemFixture.email, "--password-stdin",
            input: SystemFixture.password + "\n")
        #expect(signedIn.status == 0, "\(signedIn.errors)")
        program.send(SIGTERM)
        await program.waitForExit()
        // The tracer is a process of its own, and may be behind. It pads the number of a process to five characters.
        let end = try Regex("(?m)^\(program.id) +\\+\\+\\+ exited with 0 \\+\\+\\+$")
        try await eventually { try String(contentsOfFile: trace, encoding: .utf8).contains(end) }
        try await expectAllowed(try String(contentsOfFile: trace, encoding: .utf8))
    }

    private func expectAllowed(_ trace: String) async throws {
        let allowed = try await Self.allowedCalls()
        let calls = Set(trace.matches(of: /(?m)^[0-9]+ +([a-z0-9_]+)\(/).map { String($0.output.1) })
        #expect(calls.count > 30)
        #expect(calls.subtracting(allowed).isEmpty, "\(calls.subtracting(allowed))")
        let families = Set(trace.matches(of: /socket\((AF_[A-Z0-9]+)/).map { String($0.output.1) })
        #expect(families.isSubset(of: ["AF_INET", "AF_INET6", "AF_UNIX"]), "\(families)")
        // MemoryDenyWriteExecute: no memory that is written and executed, and none that becomes executable.
        let executable = trace.split(separator: "\n").filter {
            $0.contains("PROT_EXEC") && ($0.contains("mprotect(") || $0.contains("PROT_WRITE"))
        }
        #expect(executable.isEmpty, "\(executable)")
    }

    /// The system calls that the lines 'SystemCallFilter' of the unit allow.
    private static func allowedCalls() async throws -> Set<String> {
        let unit = try String(
            contentsOfFile: "\(Products.packageFolder)/Integrations/systemd/latchd.service", encoding: .utf8)
        var allowed = try await calls(of: "@default")
        for match in unit.matches(of: /(?m)^SystemCallFilter=(~?)(.+)$/) {
            for name in match.output.2.split(separator: " ") {
                let named = try await calls(of: String(name))
                if match.output.1.isEmpty { allowed.formUnion(named) } else { allowed.subtract(named) }
            }
        }
        return allowed
    }

    /// The system calls of a name or of a set with the sets in it.
    private static func calls(of name: String) async throws -> Set<String> {
        guard name.hasPrefix("@") else { return [name] }
        let listing = try await Program.run("systemd-analyze", ["syscall-filter", name])
        #expect(listing.status == 0, "\(listing.errors)")
        var calls: Set<String> = []
        for line in listing.output.split(separator: "\n").dropFirst() {
            let entry = line.trimmingCharacters(in: .whitespaces)
            if entry.isEmpty || entry.hasPrefix("#") { continue }
            calls.formUnion(try await Self.calls(of: entry))
        }
        return calls
    }
}
