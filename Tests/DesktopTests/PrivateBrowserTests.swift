import Foundation
import TestSupport
import Testing

@testable import Desktop

/// A browser's own process and profile; the browser is a script here, and Chromium itself in the whole-system tests.
@Suite(.timeLimit(.minutes(20))) struct PrivateBrowserTests {
    private let folder: TemporaryDirectory
    private var profiles: String { folder.file("browsers") }

    init() throws { folder = try TemporaryDirectory() }

    /// Installs a browser of that name; the script's arguments are the browser's.
    ///
    /// Another program writes it: a child that is started elsewhere at that moment would hold a descriptor of this one's, and
    /// what somebody may write cannot be run.
    private func install(_ name: String, _ script: String) async throws -> String {
        let programs = folder.file("bin")
        try "#!/bin/sh\n\(script)\n".write(toFile: folder.file("script"), atomically: true, encoding: .utf8)
        let copied = try await Program.run(
            "install", ["-D", "-m", "755", folder.file("script"), programs + "/" + name])
        try #require(copied.status == 0, "\(copied.errors)")
        return programs
    }

    private var left: [String] { (try? FileManager.default.contentsOfDirectory(atPath: profiles)) ?? [] }

    @Test(
        "TT-2 the profile is new and private, and is deleted when the browser is closed",
        arguments: ["chromium", "firefox"])
    func privateProfile(_ name: String) async throws {
        let seen = folder.file("seen")
        let script = """
            for word in "$@"; do
                case $word in --user-data-dir=*) profile=${word#--user-data-dir=};; /*) profile=$word;; esac
            done
            stat -c %a "$profile" >'\(seen)'; ls "$profile" >>'\(seen)'; printf '%s\\n' "$@" >>'\(seen)'
            echo secret >"$profile/Cookies"
            """
        let path = try await install(name, script)
        let browser = try PrivateBrowser("https://id.example.org/a?b=c", profilesIn: profiles, path: path)
        #expect(await browser.status() == 0 && browser.name == name)
        #expect(left.count == 1)
        await browser.close()

        #expect(left.isEmpty)
        let lines = try String(contentsOfFile: seen, encoding: .utf8).split(separator: "\n")
        #expect(lines.first == "700" && lines.last == "https://id.example.org/a?b=c")
        #expect(lines.contains("user.js") == (name == "firefox"))
        let mode = try FileManager.default.attributesOfItem(atPath: profiles)[.posixPermissions] as? Int
        #expect(mode == 0o700)
    }

    @Test(
        "TT-2 closing ends the browser with all its processes, even if it ignores the signal, and deletes the profile")
    func closed() async throws {
        let path = try await install(
            "chromium", "trap '' TERM; sleep 300 & echo started >'\(folder.file("started"))'; wait; wait")
        let browser = try PrivateBrowser("https://id.example.org", profilesIn: profiles, path: path)
        try await eventually { FileManager.default.fileExists(atPath: folder.file("started")) }
        await browser.close()
        #expect(left.isEmpty)
        #expect(await browser.status() == 128 + 9)
    }

    @Test("TT-2 the profile of a killed program is deleted by the next one, but not while the browser runs")
    func removesStaleProfiles() async throws {
        let path = try await install("chromium", "exec sleep 300")
        let browser = try PrivateBrowser("https://id.example.org", profilesIn: profiles, path: path)
        PrivateBrowser.removeAbandonedProfiles(profiles)
        #expect(left.count == 1)
        try FileManager.default.createDirectory(
            atPath: profiles + "/profile-left/deep", withIntermediateDirectories: true)
        try "x".write(toFile: profiles + "/profile-left/deep/Cookies", atomically: true, encoding: .utf8)
        PrivateBrowser.removeAbandonedProfiles(profiles)
        #expect(left.count == 1 && left != ["profile-left"])
        await browser.close()
        #expect(left.isEmpty)
    }

    @Test("TT-2 the browser inherits the lock and holds it after this program has ended")
    func inherited() async throws {
        let lock = folder.file("profile")
        try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: true)
        var profile = BrowserProfile(abandoned: lock)
        let program = try DesktopProgram(["sleep", "300"], inheriting: try #require(profile?.descriptor))
        profile = nil
        #expect(BrowserProfile(abandoned: lock) == nil)
        program.end()
        try await eventually { BrowserProfile(abandoned: lock) != nil }
    }

    @Test("TT-2 without a browser, or in a folder that others may read, nothing is opened")
    func refused() async throws {
        let none = #expect(throws: DesktopError.self) {
            try PrivateBrowser("https://id.example.org", profilesIn: profiles, path: folder.path)
        }
        #expect(none?.code == .programMissing && left.isEmpty)
        let path = try await install("chromium", "exit 0")
        try FileManager.default.createDirectory(
            atPath: profiles, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let open = #expect(throws: DesktopError.self) {
            try PrivateBrowser("https://id.example.org", profilesIn: profiles, path: path)
        }
        #expect(open?.code == .unsafeFolder && left.isEmpty)
        #expect(PrivateBrowser.find(in: "relative:" + path) == path + "/chromium")
    }
}
