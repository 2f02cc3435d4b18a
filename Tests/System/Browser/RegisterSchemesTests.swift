import Foundation
import TestSupport
import Testing

/// `latch register-schemes` with the desktop's own tools.
@Suite(.inTurn, .timeLimit(.minutes(20))) struct RegisterSchemesTests {
    private let house: House
    private var entry: String { house.folder.file("data/applications/latchstring-callback.desktop") }
    private var list: String { house.folder.file("config/mimeapps.list") }

    init() throws { house = try House() }

    private func handler() async throws -> String {
        try await Program.run(
            "xdg-mime", ["query", "default", "x-scheme-handler/onyx"], environment: house.environment
        ).output.trimmingCharacters(in: .newlines)
    }

    @Test("OX-9 TT-1 the scheme is registered, found by the desktop, and unregistered; other programs' choices stay")
    func wholeWay() async throws {
        try FileManager.default.createDirectory(
            atPath: house.folder.file("data/applications"), withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            atPath: house.folder.file("config"), withIntermediateDirectories: true)
        let other = "[Desktop Entry]\nType=Application\nName=Other\nExec=true %u\nMimeType=x-scheme-handler/onyx;\n"
        try other.write(
            toFile: house.folder.file("data/applications/other.desktop"), atomically: true, encoding: .utf8)
        let choices = "[Default Applications]\ntext/html=firefox.desktop\nx-scheme-handler/onyx=other.desktop\n"
        try choices.write(toFile: list, atomically: true, encoding: .utf8)

        let registered = try await house.latch("register-schemes")
        #expect(registered.status == 0, "\(registered.errors)")
        #expect(registered.errors.contains("latch replaces 'other.desktop'"))
        #expect(try await handler() == "latchstring-callback.desktop")
        let text = try String(contentsOfFile: entry, encoding: .utf8)
        #expect(text.contains("Exec=\(try Products.path("latch").resolved) callback %u\n"))
        #expect(text.contains("NoDisplay=true\n"))
        for scheme in ["onyx", "timetracker", "relate-mail"] {
            #expect(text.components(separatedBy: "x-scheme-handler/\(scheme);").count == 2, "\(scheme)")
        }
        #expect(try await house.latch("register-schemes", "--json").output.contains(#""schemes":["onyx","#))

        let removed = try await house.latch("register-schemes", "--remove")
        #expect(removed.status == 0 && removed.output.contains("no longer registered"))
        #expect(!FileManager.default.fileExists(atPath: entry))
        let left = try String(contentsOfFile: list, encoding: .utf8)
        #expect(left.contains("text/html=firefox.desktop") && !left.contains("latchstring"))
        #expect(try await house.latch("register-schemes", "--remove").output.contains("was not registered"))
    }

    @Test("Where the desktop's tools are missing, that and the package are told")
    func noTools() async throws {
        let bare = House(sharing: house, ["PATH": house.folder.path])
        let answer = try await bare.latch("register-schemes")
        #expect(answer.status == 1 && answer.errors.contains("xdg-utils"))
    }
}

extension String {
    /// The path without links.
    fileprivate var resolved: String { URL(fileURLWithPath: self).resolvingSymlinksInPath().path }
}
