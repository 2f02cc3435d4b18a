import Foundation

/// The program to which the desktop passes the links with which browsers return.
package enum LinkProgram: String, Sendable {
    /// `latch-desktop`, which is started once more and passes the link to the window.
    case secondStart
    /// The window, which is called over the bus. Needs ``PersonFolders/init(desktop:)`` with `GNOME`. A second start of
    /// `latch-desktop` fails.
    case bus
    /// `latch callback`, beside the installed `latch-desktop`.
    case latch
}

extension PersonFolders {
    /// The profiles of browsers that were opened for one sign-in.
    package var browserProfiles: [String] {
        let folder = root.appending(path: "data/latchstring/browsers").path
        return (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    /// Whether a browser with such a profile runs.
    package var runsBrowser: Bool {
        let profiles = Data((root.path + "/data/latchstring/browsers/").utf8)
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.contains { process in
            guard Int(process) != nil, let words = FileManager.default.contents(atPath: "/proc/\(process)/cmdline")
            else { return false }
            return words.range(of: profiles) != nil
        }
    }

    /// Makes a program the one that the desktop opens pages of the web with.
    package func chooseBrowser(_ command: String) throws {
        try addEntry("web.desktop", "[Desktop Entry]\nType=Application\nName=Web\nExec=\(command) %u\n")
        try choose("web.desktop", for: ["http"])
    }

    /// Installs the desktop entry of `latch-desktop`, and registers a program for the links of all servers.
    package func install(_ program: LinkProgram) async throws {
        let entry = "io.github.latchstring.Latchstring.desktop"
        let text = try String(contentsOf: Programs.root.appending(path: "Apps/Desktop/Data/\(entry)"), encoding: .utf8)
        try addEntry(entry, text)
        try addProgram("latch-desktop", program == .bus ? "exit 1" : "exec '\(Programs.desktop)' \"$@\"")
        try choose(entry, for: ["app.immich", "relate-mail", "timetracker"])
        guard program == .latch else { return }
        let result = try await latch("register-schemes")
        guard result.code == 0 else { throw DriverError("latch register-schemes: \(result.errors)") }
    }

    private func addEntry(_ name: String, _ text: String) throws {
        let folder = root.appending(path: "data/applications")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    /// Makes a desktop entry the person's choice for the links with some schemes.
    private func choose(_ entry: String, for schemes: [String]) throws {
        let list = root.appending(path: "config/mimeapps.list")
        let old = (try? String(contentsOf: list, encoding: .utf8)) ?? "[Default Applications]\n"
        let new = schemes.map { "x-scheme-handler/\($0)=\(entry)\n" }.joined()
        try Data((old + new).utf8).write(to: list)
    }
}
