import Foundation
import LatchKit
import TestSupport
import Testing

@testable import LatchDownloads

/// A queue with what is around it: the network, the desktop and the machine's sleep, over a real bus.
@Suite(.timeLimit(.minutes(20))) struct DownloadSupervisorTests {
    private let fixture: DownloadFixture

    init() async throws { fixture = try await DownloadFixture() }

    private func run(
        _ queue: DownloadQueue, _ desktop: MockDesktop, fetchesMetered: Bool = false
    ) -> Task<Void, any Error> {
        let supervisor = DownloadSupervisor(
            queue, environment: desktop.environment, fetchesMetered: fetchesMetered)
        return Task { try await supervisor.run { try await queue.run() } }
    }

    /// Lets a file stand still after its first bytes.
    private func stand(_ id: String, announced: Int? = nil) {
        fixture.intercept { [fixture] request in
            guard request.path == "/files/\(id)" else { return nil }
            var response = FaultServer.Response.file(fixture.bytes(of: id), to: request)
            response.stallAfter = 5_000
            response.announced = announced
            return response
        }
    }

    @Test(
        "DL-17 without a network nothing runs or fails and no attempts are used, until the network is back")
    func networkLost() async throws {
        let desktop = try await MockDesktop(.network)
        let queue = fixture.queue()
        stand("slow")
        try await queue.add([fixture.task("slow"), fixture.task("quick")])
        let events = queue.events
        let run = run(queue, desktop)
        var (isSlowHere, isQuickHome) = (false, false)
        for await event in events {
            if case .progress("slow", 5_000, _) = event { isSlowHere = true }
            if case .complete("quick", _) = event { isQuickHome = true }
            if isSlowHere, isQuickHome { break }
        }

        try await desktop.setNetwork(state: 20)
        for await event in events {
            if case .pauseReasonChanged(let reason?) = event, reason.kind == .network { break }
        }
        for await event in events {
            if case .status("slow", .waiting) = event { break }
        }
        let row = try #require(try await queue.tasks().first { $0.task.id == "slow" })
        #expect(row.attempts == 0 && fixture.parts().count == 1)

        fixture.intercept { _ in nil }
        try await desktop.setNetwork(state: 70)
        try await run.cancellableValue
        #expect(try fixture.file("slow.jpg") == fixture.bytes(of: "slow"))
        let last = try #require(fixture.server.requests.last { $0.path == "/files/slow" })
        #expect(last.headers["range"] == "bytes=5000-")
    }

    @Test("DL-17 on a metered network nothing is requested until there is another network")
    func metered() async throws {
        let desktop = try await MockDesktop(.network)
        try await desktop.setNetwork(metered: 1)
        let queue = fixture.queue()
        try await queue.add([fixture.task("one")])
        let events = queue.events
        let run = run(queue, desktop)
        for await event in events {
            if case .pauseReasonChanged(let reason?) = event, reason.kind == .meteredNetwork { break }
        }
        for await event in events {
            if case .overall = event { break }
        }
        #expect(!fixture.server.requests.contains { $0.path == "/files/one" })

        try await desktop.setNetwork(metered: 4)
        try await run.cancellableValue
        #expect(try fixture.file("one.jpg") == fixture.bytes(of: "one"))
    }

    @Test("DL-17 downloads on a metered network run if that is allowed")
    func meteredAllowed() async throws {
        let desktop = try await MockDesktop(.network)
        try await desktop.setNetwork(metered: 1)
        let queue = fixture.queue()
        try await queue.add([fixture.task("one")])
        try await run(queue, desktop, fetchesMetered: true).value
        #expect(try fixture.file("one.jpg") == fixture.bytes(of: "one"))
    }

    @Test("DL-15 notifications show how many files are downloaded, the end, and the failed files")
    func notifications() async throws {
        let desktop = try await MockDesktop(.notifications)
        let queue = fixture.queue()
        fixture.intercept { request in
            guard request.path == "/files/bad" else { return nil }
            let body = Array(#"{"detail":"No"}"#.utf8)
            return .init(status: 403, headers: [("Content-Type", "application/json")], body: body)
        }
        try await queue.add(["one", "two", "bad"].map { fixture.task($0) })
        try await run(queue, desktop).value

        let last = try await desktop.call(.notifications) { $0.contains("Download complete") }
        #expect(last.contains(#""Download complete" "2 items saved to gallery, 1 failed""#))
    }

    @Test("DL-15 a notification shows progress during the run, and is removed when it stops")
    func progressNotification() async throws {
        let desktop = try await MockDesktop(.notifications)
        let queue = fixture.queue()
        stand("slow")
        try await queue.add([fixture.task("slow"), fixture.task("quick")])
        let run = run(queue, desktop)
        let line = try await desktop.call(.notifications) { $0.contains("Downloading 2 items…") }
        #expect(line.contains(#""value": "#))
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.cancellableValue }
        try await desktop.call(.notifications) { $0.contains("CloseNotification") }
        #expect(!desktop.calls(.notifications).contains { $0.contains("complete") })
    }

    @Test("DL-16 a file over 256 MiB keeps the machine awake and its notification visible while it is downloaded")
    func largeFile() async throws {
        let desktop = try await MockDesktop(.notifications, .login, .network)
        let queue = fixture.queue()
        stand("film", announced: DownloadSupervisor.largeFile + 1)
        try await queue.add([fixture.task("film", group: .video, name: "film.mp4")])
        let run = run(queue, desktop)
        try await desktop.waitForInhibitors(true)
        #expect(try await desktop.inhibitors().contains("'Downloading film.mp4', 'block'"))
        try await desktop.call(.notifications) { $0.contains(#""resident": True"#) && $0.contains("film.mp4") }

        try await desktop.setNetwork(state: 20)
        try await desktop.waitForInhibitors(false)
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.cancellableValue }
    }

    @Test("DL-16 a file of 256 MiB does not keep the machine awake")
    func smallFile() async throws {
        let desktop = try await MockDesktop(.notifications, .login)
        let queue = fixture.queue()
        stand("film", announced: DownloadSupervisor.largeFile)
        try await queue.add([fixture.task("film", group: .video, name: "film.mp4")])
        let run = run(queue, desktop)
        try await desktop.call(.notifications) { $0.contains("Downloading 1 item…") }
        #expect(!(try await desktop.inhibitors().contains("sleep")))
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.cancellableValue }
    }

    @Test("DL-17 without a desktop everything is downloaded as well")
    func withoutDesktop() async throws {
        let queue = fixture.queue()
        try await queue.add([fixture.task("one")])
        let missing = fixture.folder.file("nowhere")
        let supervisor = DownloadSupervisor(
            queue,
            environment: ["XDG_RUNTIME_DIR": missing, "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(missing)/system"])
        try await supervisor.run { try await queue.run() }
        #expect(try fixture.file("one.jpg") == fixture.bytes(of: "one"))
    }
}
