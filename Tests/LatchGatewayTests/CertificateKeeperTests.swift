import Foundation
import HTTPMessages
import HTTPServer
import TestSupport
import Testing

@testable import GatewayCore
@testable import LatchGateway

/// A certificate whose files an operator's tools replace.
@Suite(.timeLimit(.minutes(20)))
struct CertificateKeeperTests {
    @Test func `files replaced by renaming are taken at the second look`() async throws {
        let bench = try await Bench()
        let next = try await bench.authority.issue("next")
        try bench.put(next)

        bench.keeper.look()
        #expect(bench.keeper.certificate.fingerprint == bench.first)
        bench.keeper.look()

        let fingerprint = try await bench.authority.fingerprint(next.certificate)
        #expect(bench.keeper.certificate.fingerprint == fingerprint)
        #expect(bench.lines.text.contains("The certificate was replaced."))
        let event = try #require(bench.lines.audit.last)
        #expect(event["event"]?.string == "certificate-replaced")
        #expect(event["certificate"]?.string == fingerprint)
        #expect(event["expires"]?.string?.hasSuffix("Z") == true)
    }

    @Test func `a symbolic link that is switched is a replacement too`() async throws {
        let bench = try await Bench()
        let manager = FileManager.default
        let old = try await bench.authority.issue("old")
        for (path, target) in [(bench.files.certificatePath, old.certificate), (bench.files.keyPath, old.key)] {
            try manager.removeItem(atPath: path)
            try manager.createSymbolicLink(atPath: path, withDestinationPath: target)
        }
        for _ in 0..<2 { bench.keeper.look() }
        #expect(try await bench.keeper.certificate.fingerprint == bench.authority.fingerprint(old.certificate))

        let next = try await bench.authority.issue("next")
        for (path, target) in [(bench.files.certificatePath, next.certificate), (bench.files.keyPath, next.key)] {
            try manager.createSymbolicLink(atPath: path + ".new", withDestinationPath: target)
            try #require(rename(path + ".new", path) == 0)
        }
        for _ in 0..<2 { bench.keeper.look() }
        #expect(try await bench.keeper.certificate.fingerprint == bench.authority.fingerprint(next.certificate))
    }

    @Test func `a key that does not fit is refused with one line, and taken when it does`() async throws {
        let bench = try await Bench()
        let next = try await bench.authority.issue("next")
        try bench.put(certificate: next.certificate)

        for _ in 0..<10 { bench.keeper.look() }
        #expect(bench.keeper.certificate.fingerprint == bench.first)
        bench.clock.advance(120)
        for _ in 0..<10 { bench.keeper.look() }
        #expect(bench.count("Could not replace the certificate; the old one is kept.") == 1)
        #expect(bench.lines.text.contains("does not belong to it"))

        try bench.put(key: next.key)
        for _ in 0..<2 { bench.keeper.look() }
        #expect(bench.keeper.certificate.fingerprint != bench.first)
        #expect(bench.count("The certificate was replaced.") == 1)
    }

    @Test func `files that are gone for a while leave the old certificate in use`() async throws {
        let bench = try await Bench()
        try FileManager.default.removeItem(atPath: bench.files.certificatePath)
        for _ in 0..<3 { bench.keeper.look() }
        #expect(bench.keeper.certificate.fingerprint == bench.first)
        #expect(bench.count("Could not replace the certificate; the old one is kept.") == 1)
    }

    @Test func `a reload that was asked for says what it found each time`() async throws {
        let bench = try await Bench()
        bench.keeper.reload()
        #expect(bench.count("The certificate was reloaded. It has not changed.") == 1)
        try bench.put(key: try await bench.authority.issue().key)
        for _ in 0..<2 { bench.keeper.reload() }
        #expect(bench.count("Could not replace the certificate; the old one is kept.") == 2)
        #expect(bench.keeper.certificate.fingerprint == bench.first)
    }

    @Test func `an end within 14 days is told once a day, and so is one that has come`() async throws {
        let bench = try await Bench(validFor: 20)
        bench.keeper.look()
        #expect(bench.count("The certificate expires soon.") == 0)
        bench.clock.advance(7 * 86_400)
        for _ in 0..<5 { bench.keeper.look() }
        #expect(bench.count("The certificate expires soon.") == 1)
        bench.clock.advance(86_400)
        for _ in 0..<5 { bench.keeper.look() }
        #expect(bench.count("The certificate expires soon.") == 2)
        #expect(bench.keeper.secondsLeft > 0)
        bench.clock.advance(20 * 86_400)
        bench.keeper.look()
        #expect(bench.count("The certificate has expired: clients refuse it.") == 1)
        #expect(bench.keeper.secondsLeft < 0)
    }

    @Test func `a key that others may read is told`() async throws {
        let bench = try await Bench()
        let certificate = bench.keeper.certificate
        #expect(CertificateWarning.all(for: certificate, bench.files, now: bench.clock.now).isEmpty)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: bench.files.keyPath)
        let warnings = CertificateWarning.all(for: certificate, bench.files, now: bench.clock.now)
        #expect(warnings.map(\.sentence).first?.contains("chmod o-rwx '\(bench.files.keyPath)'") == true)
    }

    @Test func `no line of all this holds anything of the key`() async throws {
        let bench = try await Bench()
        try bench.put(try await bench.authority.issue())
        for _ in 0..<2 { bench.keeper.look() }
        bench.keeper.reload()
        let key = try String(contentsOfFile: bench.files.keyPath, encoding: .utf8)
        for line in key.split(separator: "\n") where !line.hasPrefix("-") {
            #expect(!bench.lines.text.contains(line))
        }
    }

    /// A keeper of files in a folder of its own.
    private struct Bench {
        let authority: Authority
        let files: CertificateFiles
        let keeper: CertificateKeeper
        let clock = TestClock()
        let lines = Lines()
        let first: String

        init(validFor days: Int = 365) async throws {
            authority = try await Authority.make()
            let (from, to) = (clock.now.addingTimeInterval(-60), clock.now.addingTimeInterval(Double(days) * 86_400))
            let pair = try await authority.issue(from: Self.text(from), to: Self.text(to))
            files = CertificateFiles(
                certificatePath: authority.folder.file("live.crt"), keyPath: authority.folder.file("live.key"))
            try FileManager.default.copyItem(atPath: pair.certificate, toPath: files.certificatePath)
            try FileManager.default.copyItem(atPath: pair.key, toPath: files.keyPath)
            let (clock, lines) = (clock, lines)
            let log = Log(format: .json, writer: lines.writer, now: { clock.now })
            keeper = try CertificateKeeper(
                files, log: log, audit: AuditLog(log: log, now: { clock.now }), now: { clock.now })
            first = keeper.certificate.fingerprint
        }

        func put(_ pair: Authority.Pair) throws { try put(certificate: pair.certificate, key: pair.key) }

        /// Puts files in place as tools do: a new file, renamed over the old one.
        func put(certificate: String? = nil, key: String? = nil) throws {
            for case (let source?, let path) in [(certificate, files.certificatePath), (key, files.keyPath)] {
                try FileManager.default.copyItem(atPath: source, toPath: path + ".new")
                try #require(rename(path + ".new", path) == 0)
            }
        }

        func count(_ message: String) -> Int {
            lines.text.split(separator: "\n").count { $0.contains(message) }
        }

        private static func text(_ date: Date) -> String {
            Timestamp.text(date).filter { $0.isNumber || $0 == "Z" }
        }
    }
}
