import Foundation
import HTTPMessages
import HTTPServer
import TestSupport
import Testing

@testable import GatewayCore
@testable import LatchGateway

/// A certificate whose files an operator's tools replace.
@Suite(.timeLimit(.minutes(20)))
struct CertificateReloaderTests {
    @Test func `files replaced by renaming are loaded at the second checkFiles`() async throws {
        let fixture = try await Fixture()
        let next = try await fixture.authority.issue("next")
        try fixture.put(next)

        fixture.reloader.checkFiles()
        #expect(fixture.reloader.certificate.fingerprint == fixture.first)
        fixture.reloader.checkFiles()

        let fingerprint = try await fixture.authority.fingerprint(next.certificate)
        #expect(fixture.reloader.certificate.fingerprint == fingerprint)
        #expect(fixture.lines.text.contains("The certificate was replaced."))
        let event = try #require(fixture.lines.audit.last)
        #expect(event["event"]?.string == "certificate-replaced")
        #expect(event["certificate"]?.string == fingerprint)
        #expect(event["expires"]?.string?.hasSuffix("Z") == true)
    }

    @Test func `a changed symbolic link counts as a replacement`() async throws {
        let fixture = try await Fixture()
        let manager = FileManager.default
        let old = try await fixture.authority.issue("old")
        for (path, target) in [(fixture.files.certificatePath, old.certificate), (fixture.files.keyPath, old.key)] {
            try manager.removeItem(atPath: path)
            try manager.createSymbolicLink(atPath: path, withDestinationPath: target)
        }
        for _ in 0..<2 { fixture.reloader.checkFiles() }
        #expect(try await fixture.reloader.certificate.fingerprint == fixture.authority.fingerprint(old.certificate))

        let next = try await fixture.authority.issue("next")
        for (path, target) in [(fixture.files.certificatePath, next.certificate), (fixture.files.keyPath, next.key)] {
            try manager.createSymbolicLink(atPath: path + ".new", withDestinationPath: target)
            try #require(rename(path + ".new", path) == 0)
        }
        for _ in 0..<2 { fixture.reloader.checkFiles() }
        #expect(try await fixture.reloader.certificate.fingerprint == fixture.authority.fingerprint(next.certificate))
    }

    @Test func `a key that does not match is refused with one line, and loaded when it does`() async throws {
        let fixture = try await Fixture()
        let next = try await fixture.authority.issue("next")
        try fixture.put(certificate: next.certificate)

        for _ in 0..<10 { fixture.reloader.checkFiles() }
        #expect(fixture.reloader.certificate.fingerprint == fixture.first)
        fixture.clock.advance(120)
        for _ in 0..<10 { fixture.reloader.checkFiles() }
        #expect(fixture.count("Could not replace the certificate; the old one is kept.") == 1)
        #expect(fixture.lines.text.contains("does not belong to it"))

        try fixture.put(key: next.key)
        for _ in 0..<2 { fixture.reloader.checkFiles() }
        #expect(fixture.reloader.certificate.fingerprint != fixture.first)
        #expect(fixture.count("The certificate was replaced.") == 1)
    }

    @Test func `the old certificate stays in use while the files are missing`() async throws {
        let fixture = try await Fixture()
        try FileManager.default.removeItem(atPath: fixture.files.certificatePath)
        for _ in 0..<3 { fixture.reloader.checkFiles() }
        #expect(fixture.reloader.certificate.fingerprint == fixture.first)
        #expect(fixture.count("Could not replace the certificate; the old one is kept.") == 1)
    }

    @Test func `a requested reload always logs its result`() async throws {
        let fixture = try await Fixture()
        fixture.reloader.reload()
        #expect(fixture.count("The certificate was reloaded. It has not changed.") == 1)
        try fixture.put(key: try await fixture.authority.issue().key)
        for _ in 0..<2 { fixture.reloader.reload() }
        #expect(fixture.count("Could not replace the certificate; the old one is kept.") == 2)
        #expect(fixture.reloader.certificate.fingerprint == fixture.first)
    }

    @Test func `a certificate that expires within 14 days, or has expired, is logged once a day`() async throws {
        let fixture = try await Fixture(validFor: 20)
        fixture.reloader.checkFiles()
        #expect(fixture.count("The certificate expires soon.") == 0)
        fixture.clock.advance(7 * 86_400)
        for _ in 0..<5 { fixture.reloader.checkFiles() }
        #expect(fixture.count("The certificate expires soon.") == 1)
        fixture.clock.advance(86_400)
        for _ in 0..<5 { fixture.reloader.checkFiles() }
        #expect(fixture.count("The certificate expires soon.") == 2)
        #expect(fixture.reloader.secondsLeft > 0)
        fixture.clock.advance(20 * 86_400)
        fixture.reloader.checkFiles()
        #expect(fixture.count("The certificate has expired: clients refuse it.") == 1)
        #expect(fixture.reloader.secondsLeft < 0)
    }

    @Test func `a key that others may read is logged`() async throws {
        let fixture = try await Fixture()
        let certificate = fixture.reloader.certificate
        #expect(CertificateWarning.all(for: certificate, fixture.files, now: fixture.clock.now).isEmpty)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: fixture.files.keyPath)
        let warnings = CertificateWarning.all(for: certificate, fixture.files, now: fixture.clock.now)
        #expect(warnings.map(\.sentence).first?.contains("chmod o-rwx '\(fixture.files.keyPath)'") == true)
    }

    @Test func `no log line contains any part of the key`() async throws {
        let fixture = try await Fixture()
        try fixture.put(try await fixture.authority.issue())
        for _ in 0..<2 { fixture.reloader.checkFiles() }
        fixture.reloader.reload()
        let key = try String(contentsOfFile: fixture.files.keyPath, encoding: .utf8)
        for line in key.split(separator: "\n") where !line.hasPrefix("-") {
            #expect(!fixture.lines.text.contains(line))
        }
    }

    /// A reloader of files in a folder of its own.
    private struct Fixture {
        let authority: Authority
        let files: CertificateFiles
        let reloader: CertificateReloader
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
            reloader = try CertificateReloader(
                files, log: log, audit: AuditLog(log: log, now: { clock.now }), now: { clock.now })
            first = reloader.certificate.fingerprint
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
