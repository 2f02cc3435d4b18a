import Foundation
import TestSupport
import Testing

/// `latch register-schemes` with the desktop's own tools.
@Suite(.blocking, .inTurn, .timeLimit(.minutes(20))) struct RegisterSchemesTests {
    private let fixture: SystemFixture
    private var entry: String { fixture.folder.file("data/applications/latchstring-callback.desktop") }
    private var list: String { fixture.folder.file("config/mimeapps.list") }

    init() throws { fixture = try SystemFixture() }

    private func handler() async throws -> String {
        try await Program.run(
            "xdg-mime", ["query", "default", "x-scheme-handler/onyx"], environment: fixture.environment
        ).output.trimmingCharacters(in: .newlines)
    }

    @Test("OX-9 TT-1 the scheme is registered, found by the desktop, and unregistered; other programs' entries stay")
    func endToEnd() async throws {
        try FileManager.default.createDirectory(
            atPath: fixture.folder.file("data/applications"), withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            atPath: fixture.folder.file("config"), withIntermediateDirectories: true)
        let other = "[Desktop Entry]\nType=Application\nName=Other\nExec=true %u\nMimeType=x-scheme-handler/onyx;\n"
        try other.write(
            toFile: fixture.folder.file("data/applications/other.desktop"), atomically: true, encoding: .utf8)
        let choices = "[Default Applications]\ntext/html=firefox.desktop\nx-scheme-handler/onyx=other.desktop\n"
        try choices.write(toFile: list, atomically: true, encoding: .utf8)

        let registered = try await fixture.latch("register-schemes")
        #expect(registered.status == 0, "\(registered.errors)")
        #expect(registered.errors.contains("latch replaces 'other.desktop'"))
        #expect(try await handler() == "latchstring-callback.desktop")
        let text = try String(contentsOfFile: entry, encoding: .utf8)
        #expect(text.contains("Exec=\(try Products.path("latch").resolved) callback %u\n"))
        #expect(text.contains("NoDisplay=true\n"))
        for scheme in ["onyx", "timetracker", "relate-mail"] {
            #expect(text.components(separatedBy: "x-scheme-handler/\(scheme);").count == 2, "\(scheme)")
        }
        #expect(try await fixture.latch("register-schemes", "--json").output.contains(#""schemes":["onyx","#))

        let removed = try await fixture.latch("register-schemes", "--remove")
        #expect(removed.status == 0 && removed.output.contains("no longer registered"))
        #expect(!FileManager.default.fileExists(atPath: entry))
        let left = try String(contentsOfFile: list, encoding: .utf8)
        #expect(left.contains("text/html=firefox.desktop") && !left.contains("latchstring"))
        #expect(try await fixture.latch("register-schemes", "--remove").output.contains("was not registered"))
    }

    @Test("If the desktop's tools are missing, the error names the package")
    func noTools() async throws {
        let bare = SystemFixture(sharing: fixture, ["PATH": fixture.folder.path])
        let response = try await bare.latch("register-schemes")
        #expect(response.status == 1 && response.errors.contains("xdg-utils"))
    }
}

extension String {
    /// The path without links.
    fileprivate var resolved: String { URL(fileURLWithPath: self).resolvingSymlinksInPath().path }
}
