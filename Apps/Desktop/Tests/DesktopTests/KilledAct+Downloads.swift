import DesktopDriver
import Foundation
import Testing

/// Adds all pictures of the library to the queue.
struct AddAct: KilledAct {
    let name = "add downloads"
    private let email = "ada@example.org"
    private let count = 10

    func prepare(_ device: KilledDevice) async throws {
        try await device.folders.signIn(email, device.sandbox, "immich")
    }

    func open(_ app: DesktopApp, _: KilledDevice) async throws {
        try await app.wait(for: .label, email)
        try await app.press("Library")
        try await app.press("Download all")
        try await app.wait(for: .label, containing: "files to download")
    }

    func perform(_ app: DesktopApp, _: KilledDevice) async throws {
        try await app.press("Download")
        try await app.wait(for: .button, "Done")
    }

    func check(_ device: KilledDevice, after _: [String]) async throws {
        // All or none are in the queue.
        let downloads = try await device.downloads()
        try #require([0, count].contains(downloads.count), "\(downloads)")
        try device.checkPictures(downloads)
    }

    func complete(_ app: DesktopApp, _ device: KilledDevice) async throws {
        try await app.wait(for: .label, email)
        try await app.press("Downloads")
        let page = try await app.wait(
            forOneOf: (.heading, "No downloads"), (.heading, "\(count) items not started"),
            (.heading, "Download complete"))
        if page == "No downloads" {
            try await app.press("Back")
            try await open(app, device)
            try await perform(app, device)
            try await app.press("Downloads")
        } else if page.hasSuffix("not started") {
            try await app.press("Download")
        }
        try await app.wait(for: .heading, "Download complete")
    }

    func checkEnd(_ device: KilledDevice) async throws { try await device.checkComplete(count) }
}

/// A command on the files of the queue: ten are complete, and four are in another state.
struct QueueAct: KilledAct {
    enum Command: String, Sendable {
        case pause = "Pause"
        case resume = "Resume"
        case retry = "Retry"
        case cancel = "Cancel all"
    }

    var name: String { command.rawValue }
    private let command: Command
    private let email = "ada@example.org"
    private let complete = 10
    private let others = 4

    init(_ command: Command) { self.command = command }

    /// The state of the files before the command.
    private var before: String {
        switch command {
        case .pause: "waiting"
        case .resume, .cancel: "paused"
        case .retry: "failed"
        }
    }

    /// The state of the files after the command. Nil: they are not in the queue any more.
    private var after: String? {
        switch command {
        case .pause: "paused"
        case .resume, .retry: "waiting"
        case .cancel: nil
        }
    }

    func prepare(_ device: KilledDevice) async throws {
        try await device.folders.signIn(email, device.sandbox, "immich")
        try await device.latch("download", "--all")
        try await device.folders.addDownloads(others, [before])
    }

    func open(_ app: DesktopApp, _: KilledDevice) async throws {
        try await app.wait(for: .label, email)
        try await app.press("Downloads")
        try await app.wait(forSensitive: command.rawValue)
        if command == .cancel {
            try await app.press(command.rawValue)
            try await app.wait(for: .label, "Cancel all downloads?")
        }
    }

    func perform(_ app: DesktopApp, _: KilledDevice) async throws {
        if command == .cancel { try await app.answer("Cancel all") } else { try await app.press(command.rawValue) }
        try await waitForEnd(app)
    }

    private func waitForEnd(_ app: DesktopApp) async throws {
        switch command {
        case .pause: try await app.wait(for: .heading, "Paused")
        case .resume, .retry:
            // Failed files count as ended ones.
            try await app.waitUntilGone(.label, containing: "4 failed")
            try await app.wait(for: .label, containing: "14 of 14 files")
        case .cancel: try await app.wait(for: .label, containing: "10 of 10 files")
        }
    }

    func check(_ device: KilledDevice, after _: [String]) async throws {
        let downloads = try await device.downloads()
        let states = Set(downloads.filter { $0.id.hasPrefix("copy-") }.map(\.state))
        // All or none have changed.
        try #require(states == [before] || states == Set([after].compactMap(\.self)), "\(states)")
        try #require(downloads.filter { !$0.id.hasPrefix("copy-") }.allSatisfy { $0.state == "done" })
        try device.checkPictures(downloads)
    }

    func complete(_ app: DesktopApp, _ device: KilledDevice) async throws {
        try await app.wait(for: .label, email)
        try await app.press("Downloads")
        try await app.wait(for: .label, containing: " files")
        if app.isVisible(.button, command.rawValue) {
            if command == .cancel {
                try await app.press(command.rawValue)
                try await app.wait(for: .label, "Cancel all downloads?")
            }
            try await perform(app, device)
        } else {
            if app.isVisible(.button, "Download") { try await app.press("Download") }
            try await waitForEnd(app)
        }
    }

    func checkEnd(_ device: KilledDevice) async throws {
        switch command {
        case .pause:
            let states = try await device.downloads().map(\.state)
            try #require(states.filter { $0 == "paused" }.count == others && states.count == complete + others)
            try device.checkPictures(try await device.downloads())
        case .resume, .retry: try await device.checkComplete(complete + others)
        case .cancel: try await device.checkComplete(complete)
        }
    }
}

extension KilledDevice {
    /// Checks that a number of files is in the queue and all are complete.
    fileprivate func checkComplete(_ count: Int) async throws {
        let downloads = try await downloads()
        try #require(downloads.count == count && downloads.allSatisfy { $0.state == "done" }, "\(downloads)")
        try checkPictures(downloads)
    }

    /// Checks that the pictures are those of the queue, whole, and that no other files are left.
    fileprivate func checkPictures(_ downloads: [Download]) throws {
        let folder = folders.root.appending(path: "Pictures/Immich")
        let done = downloads.filter { $0.state == "done" }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let expected = Set(done.compactMap { $0.path.map { URL(fileURLWithPath: $0).lastPathComponent } })
        let pictures = Set(names.filter { $0 != ".latchstring" })
        try #require(expected.isSubset(of: pictures) && pictures.count <= downloads.count, "\(pictures) \(expected)")
        for file in done {
            let path = folder.appending(path: URL(fileURLWithPath: file.path!).lastPathComponent).path
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            try #require(size == file.bytes, "\(path)")
        }
        if done.count == downloads.count {
            let parts = (try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/.latchstring")) ?? []
            try #require(parts.isEmpty, "\(parts)")
        }
        for place in ["autostart", "systemd/user"] {
            let path = folders.root.path + "/config/" + place
            let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
            let known: Set = [
                "latchstring-downloads.desktop", "latchstring-downloads.desktop.new", "latchstring-downloads.service",
                "latchstring-downloads.service.new", "default.target.wants",
            ]
            try #require(Set(names).isSubset(of: known), "\(names)")
        }
    }
}
