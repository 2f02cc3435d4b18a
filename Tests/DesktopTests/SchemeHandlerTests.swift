import Desktop
import Foundation
import TestSupport
import Testing

/// The files of a registration. No scheme is registered, so that the desktop of the machine is left alone.
@Suite struct SchemeHandlerTests {
    private let folder: TemporaryDirectory
    private let handler: SchemeHandler
    private var applications: String { folder.file("data/applications") }
    private var list: String { folder.file("config/mimeapps.list") }

    init() throws {
        folder = try TemporaryDirectory()
        handler = SchemeHandler(
            "latch.desktop", data: folder.file("data"), configuration: folder.file("config"))
        for path in [applications, folder.file("config"), folder.file("dotfiles")] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
    }

    private func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != "mimeinfo.cache" }.sorted()
    }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    @Test("OX-9 TT-1 a registration uses what a killed one has left behind, and its removal leaves no file")
    func leftOver() async throws {
        try write("[Desktop", to: applications + "/latch.desktop.new")
        try await handler.register(["/usr/bin/latch", "callback"], for: [], title: "Sign-in", comment: "Sign-in")
        #expect(try names(applications) == ["latch.desktop"])
        let text = try String(contentsOfFile: handler.path, encoding: .utf8)
        #expect(text.hasPrefix("[Desktop Entry]\n") && text.contains("Exec=/usr/bin/latch callback %u\n"))
        try write("[Desktop", to: applications + "/latch.desktop.new")
        #expect(try await handler.remove())
        #expect(try names(applications).isEmpty)

        try write("[Desktop", to: applications + "/latch.desktop.new")
        #expect(try await !handler.remove())
        #expect(try names(applications).isEmpty)
    }

    @Test("OX-9 TT-1 the list of default applications keeps its other lines, its permissions and a link to it")
    func list() async throws {
        let target = folder.file("dotfiles/mimeapps.list")
        try write("[Default Applications]\ntext/plain=a.desktop\nx-scheme-handler/x=latch.desktop\n", to: target)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: target)
        try FileManager.default.createSymbolicLink(atPath: list, withDestinationPath: target)
        try write("[Default", to: target + ".new")
        #expect(try await !handler.remove())
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: list) == target)
        let text = try String(contentsOfFile: target, encoding: .utf8)
        #expect(text == "[Default Applications]\ntext/plain=a.desktop\n")
        #expect(try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int == 0o644)
        #expect(try names(folder.file("dotfiles")) == ["mimeapps.list"])
    }
}
