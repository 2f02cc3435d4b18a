import Database
import Foundation
import LatchKit
import TestSupport
import Testing

@testable import LatchDownloads
@testable import LatchScreens

/// The screen of downloads, with a queue that another program downloads.
@MainActor
@Suite("Downloads screen", .timeLimit(.minutes(5)))
struct DownloadsScreenTests {
    @Test("DL-7 DL-9 a file that is downloaded shows its name, share, percent and bytes, and the total beside it")
    func progress() async throws {
        try await DownloadFixture.with { fixture in
            fixture.intercept { request in
                guard request.path == "/files/IMG_1234.jpg" else { return nil }
                var response = FaultServer.Response.file(DownloadFixture.bytes, to: request)
                response.stallAfter = 130_000
                return response
            }
            let screen = fixture.screen
            try await observed { screen.overview?.phase == .empty && screen.state == .list(nil) }
            #expect(screen.overview?.title == "No downloads" && screen.page == .empty)
            try await fixture.add(["IMG_1234.jpg"])
            try await observed { screen.overview?.phase == .stopped && screen.page.rows.count == 1 }
            #expect(screen.overview?.title == "1 item not started")
            #expect(screen.page.rows.map(\.state) == [.waiting])

            try await fixture.download()
            try await observed { screen.running.first?.percent == "65%" }
            let row = try #require(screen.running.first)
            #expect(row.name == "IMG_1234.jpg" && row.bytes == "130 kB / 200 kB" && row.fraction == 0.65)
            #expect(row.canPause && row.canCancel && !row.canRetry && !row.canClear)
            let overview = try #require(screen.overview)
            #expect(overview.title == "Downloading 1 item…" && overview.bytes == "130 kB of 200 kB")
            #expect(overview.fraction == 0.65 && overview.files == "0 of 1 files")
        }
    }

    @Test("DL-7 DL-13 when all is done nothing is read until something changes, and a killed program's file waits")
    func idle() async throws {
        try await DownloadFixture.with { fixture in
            let screen = fixture.screen
            try await fixture.add(["one.jpg"])
            try await fixture.download()
            try await fixture.finish()
            try await observed { screen.overview?.phase == .complete && screen.page.rows.first?.state == .done }
            #expect(screen.running.isEmpty && screen.overview?.title == "Download complete")
            #expect(screen.page.rows.first?.path == fixture.folder.path + "/Library/one.jpg")
            #expect(screen.folder == fixture.folder.path + "/Library")
            let before = screen.repetitions
            try await fixture.add(["two.jpg"])
            try await observed { screen.page.rows.count == 2 }
            #expect(screen.repetitions == before)

            try await fixture.fill(1, state: "running")
            try await fixture.add(["three.jpg"])
            try await observed { screen.page.rows.count == 4 }
            #expect(screen.page.rows[2].state == .waiting && screen.running.isEmpty)
        }
    }

    @Test("DL-9 DL-13 DL-17 each failure has its sentence and remedy, and Retry starts the background program")
    func failures() async throws {
        try await DownloadFixture.with { fixture in
            try fixture.installProgram()
            fixture.intercept { request in
                request.path.hasPrefix("/files/gone")
                    ? .init(status: 404, headers: [("Content-Type", "application/json")], body: Array("{}".utf8)) : nil
            }
            let screen = fixture.screen
            try await fixture.add(["good.jpg", "gone.jpg", "gone-too.jpg"])
            try await fixture.download()
            try await fixture.finish()
            screen.filter = .only(.failed)
            try await observed { screen.overview?.phase == .complete && screen.page.rows.count == 2 }
            let row = try #require(screen.page.rows.first)
            #expect(row.reason == "There is no file at /files/gone.jpg." && row.remedy == .retryDownloads)
            #expect(
                row.canRetry && screen.overview?.failures == "2 failed"
                    && screen.overview?.title == "Download complete, 2 failed")

            fixture.intercept { _ in nil }
            screen.retry([row.id])
            await screen.command?.value
            #expect(screen.error == nil && fixture.started.first?.hasPrefix("download --keep-trying") == true)
            try await observed { screen.page.rows.map(\.name) == ["gone-too.jpg"] }
            screen.retry()
            await screen.command?.value
            try await fixture.download()
            try await fixture.finish()
            try await observed { screen.overview?.files == "3 of 3 files" && screen.page.rows.isEmpty }
            screen.filter = .all
            screen.clear()
            try await observed { screen.overview?.phase == .empty && screen.page.rows.isEmpty }
        }
    }

    @Test("DL-12 one file is paused, resumed and cancelled, and all are cancelled after a question")
    func commands() async throws {
        try await DownloadFixture.with { fixture in
            try fixture.installProgram()
            let screen = fixture.screen
            try await fixture.add(["one.jpg", "two.jpg", "three.jpg"])
            try await observed { screen.page.rows.count == 3 }
            let first = screen.page.rows[0].id
            screen.pause([first])
            try await observed { screen.page.rows[0].state == .paused && screen.overview?.canResume == true }
            #expect(screen.page.rows[1].state == .waiting)
            screen.pause()
            try await observed { screen.overview?.phase == .paused }
            #expect(fixture.started.isEmpty)
            screen.resume([first])
            try await observed { screen.page.rows[0].state == .waiting }
            await screen.command?.value
            #expect(screen.error == nil && fixture.started.count == 1, "\(String(describing: screen.error))")
            screen.cancel([first])
            try await observed { screen.page.rows.map(\.name) == ["two.jpg", "three.jpg"] }

            screen.askToCancelAll()
            #expect(screen.state == .confirming)
            screen.keep()
            #expect(screen.state == .list(nil))
            screen.askToCancelAll()
            screen.confirm()
            try await observed { screen.overview?.phase == .empty && screen.page.rows.isEmpty }
            #expect(screen.state == .list(nil))
        }
    }

    @Test("DL-17 without the program the error says which one is missing, and the files keep waiting")
    func missingProgram() async throws {
        try await DownloadFixture.with { fixture in
            let screen = fixture.screen
            try await fixture.add(["one.jpg"])
            try await observed { screen.overview?.phase == .stopped && screen.page.rows.count == 1 }
            screen.start()
            await screen.command?.value
            #expect(screen.error?.code == .backgroundFailed, "\(String(describing: screen.error))")
            #expect(screen.error?.message.contains("/latch") == true)
            #expect(screen.overview?.phase == .stopped && screen.page.rows.map(\.state) == [.waiting])
        }
    }

    @Test("DL-13 DL-17 the screen says why files wait: their account must sign in, their folder is missing")
    func waitReasons() async throws {
        try await DownloadFixture.with { fixture in
            let screen = fixture.screen
            try await fixture.add(["one.jpg", "two.jpg"])
            try await fixture.download()
            try await fixture.finish()
            try await fixture.add(["three.jpg"])
            let folder = fixture.folder.path + "/Library"
            try FileManager.default.removeItem(atPath: folder)
            screen.pause()
            try await observed { screen.overview?.remedy == .mountFolder(folder) }
            #expect(screen.overview?.waitReason?.contains("Mount its drive.") == true)
        }
    }

    @Test("DL-9 a long queue is shown by pages, of which one is in memory")
    func pages() async throws {
        try await DownloadFixture.with { fixture in
            let screen = fixture.screen
            try await fixture.fill(45_000, state: "done")
            try await fixture.fill(250, state: "failed")
            try await fixture.fill(150, state: "waiting")
            // Another program's change, which the screen notices.
            try await fixture.add(["last.jpg"])
            try await observed { screen.overview?.failures == "250 failed" && screen.page.hasNext }
            #expect(screen.page.rows.first?.name == "done1.jpg" && !screen.page.hasPrevious)
            #expect(screen.page.rows.count == DownloadPage.size && screen.targets.count == DownloadPage.size)
            screen.showNextPage()
            try await observed { screen.page.rows.first?.name == "done101.jpg" && screen.page.hasPrevious }
            screen.showPreviousPage()
            try await observed { screen.page.rows.first?.name == "done1.jpg" && !screen.page.hasPrevious }

            screen.filter = .only(.failed)
            try await observed { screen.page.rows.first?.name == "failed1.jpg" }
            screen.showNextPage()
            try await observed { screen.page.rows.first?.name == "failed101.jpg" }
            screen.showNextPage()
            try await observed { screen.page.rows.first?.name == "failed201.jpg" }
            #expect(screen.page.rows.count == 50 && !screen.page.hasNext && screen.page.hasPrevious)
            screen.filter = .only(.waiting)
            try await observed { screen.page.rows.first?.name == "waiting1.jpg" && screen.page.hasNext }
        }
    }

    @Test("DL-9 the received and the total bytes stay when the server stops responding, and when the file fails")
    func interrupted() async throws {
        try await DownloadFixture.with { fixture in
            let screen = fixture.screen
            fixture.intercept { request in
                guard request.path == "/files/one.jpg" else { return nil }
                var response = FaultServer.Response.file(DownloadFixture.bytes, to: request)
                response.stallAfter = 130_000
                return response
            }
            try await fixture.add(["one.jpg"])
            try await fixture.download()
            try await observed { screen.overview?.bytes == "130 kB of 200 kB" }
            await fixture.stop()
            try await observed { screen.overview?.phase == .stopped }
            #expect(screen.overview?.bytes == "130 kB of 200 kB" && screen.overview?.fraction == 0.65)

            fixture.intercept { request in
                request.path == "/files/one.jpg"
                    ? .init(status: 404, headers: [("Content-Type", "application/json")], body: Array("{}".utf8)) : nil
            }
            try await fixture.download()
            try await fixture.finish()
            try await observed { screen.overview?.failures == "1 failed" }
            #expect(screen.overview?.bytes.hasSuffix("of 200 kB") == true, "\(String(describing: screen.overview))")
        }
    }

    @Test("DL-9 RM-9 the account is named in each row when several have downloads")
    func accounts() async throws {
        try await DownloadFixture.with { fixture in
            let screen = fixture.screen
            try await fixture.add(["one.jpg"])
            try await observed { screen.page.rows.count == 1 }
            let other = try await fixture.signInElsewhere()
            #expect(screen.page.rows.map(\.account) == [nil])
            try await fixture.add(["two.jpg"], of: other)
            try await observed { screen.page.rows.count == 2 }
            let names = [fixture.account, other].map { "ada@example.org at \($0.serverURL.authority)" }
            #expect(screen.page.rows.map(\.account) == names && names[0] != names[1])
        }
    }

    @Test("DL-13 IM-12 a file has the button for what it needs: a retry, a folder, a new password, a sign-in")
    func actions() async throws {
        try await DownloadFixture.with { fixture in
            let screen = fixture.screen
            fixture.intercept { request in
                request.path == "/files/bad.jpg"
                    ? .init(status: 404, headers: [("Content-Type", "application/json")], body: Array("{}".utf8)) : nil
            }
            try await fixture.add(["one.jpg", "bad.jpg"])
            try await fixture.download()
            try await fixture.finish()
            try await observed { screen.page.rows.last?.action == .retry }
            #expect(screen.page.rows.first?.action == nil)
            try FileManager.default.removeItem(atPath: fixture.folder.path + "/Library")
            try await fixture.add(["two.jpg"])
            try await observed { screen.page.rows.count == 3 && screen.page.rows[1].action == .chooseFolder }

            try FileManager.default.createDirectory(
                atPath: fixture.folder.path + "/Library/.latchstring", withIntermediateDirectories: true)
            screen.pause()
            await screen.command?.value
            let id = fixture.account.id
            try await fixture.latch.accounts.database.write {
                _ = try $0.run(Statement("UPDATE accounts SET must_change_password = 1 WHERE id = ?", UUID.self), id)
            }
            await fixture.latch.accounts.reportDatabaseChange()
            // The queue and the accounts are read one after the other.
            try await observed {
                screen.page.rows.last?.action == .changePassword && screen.overview?.action == .changePassword
            }
            let row = try #require(screen.page.rows.last)
            #expect(row.state == .paused && row.reason?.hasSuffix("Change the password.") == true)
            #expect(screen.page.rows[1].action == .changePassword)
            #expect(DownloadAction(.signIn(fixture.account.serverURL, email: nil))?.title == "Sign in again")
        }
    }

    @Test("DL-17 waiting for a network is told with its reason, by the network of the client and the setting now")
    func network() async throws {
        let network = AsyncStream.makeStream(of: NetworkState.self)
        network.continuation.yield(NetworkState(isConnected: true, isMetered: true))
        try await DownloadFixture.with(network: network.stream) { fixture in
            let screen = fixture.screen
            try await fixture.add(["one.jpg"])
            try await fixture.download(waitingFor: WaitReason("This network is metered."))
            try await observed { screen.overview?.phase == .waiting && screen.overview?.waitReason != nil }
            #expect(
                screen.overview?.waitReason == "This network is metered. Downloads continue on an unmetered one."
                    && screen.overview?.action == .allowMetered)
            try await DownloadPreferences(fixture.latch).setFetchesMetered(true)
            try await observed { screen.overview?.waitReason == nil }
            network.continuation.yield(NetworkState(isConnected: false, isMetered: false))
            try await observed { screen.overview?.waitReason?.hasPrefix("There is no network.") == true }
        }
    }

    @Test(
        "DL-6 DL-13 a full disk is shown as the reason to wait while one part of a live photo waits for the other one")
    func fullDisk() throws {
        let part = QueueSnapshot.File(
            position: 1, taskID: "live", account: UUID(), filename: "live.jpg", state: .running, received: 10,
            total: 10,
            path: nil)
        func overview(_ reason: WaitReason?) -> DownloadOverview {
            var counter = ProgressCounter()
            counter.update([
                StateCount(state: "running", count: 1, bytes: 10, sized: 1),
                StateCount(state: "waiting", count: 1, bytes: 90, sized: 1),
            ])
            let overall = counter.overall(received: 10, kept: KeptBytes(), gained: nil, now: .now)
            let snapshot = QueueSnapshot(overall: overall, paused: 0, running: [part], ended: [], waitReason: reason)
            return DownloadOverview(snapshot, network: nil, isFetching: true)
        }
        let full = overview(PauseReason.disk(.files).waitReason(folder: "/pictures", database: ""))
        #expect(full.phase == .waiting && full.title == "2 items waiting" && full.action == .chooseFolder)
        #expect(full.waitReason?.hasPrefix("There is no space left in '/pictures'. Free some space there.") == true)
        #expect(overview(nil).phase == .downloading)
    }

    @Test("DL-9 a queue of which all files failed is not complete, and one with some failures says how many")
    func failedTitles() {
        func title(done: Int, failed: Int) -> String {
            var counter = ProgressCounter()
            counter.update([
                StateCount(state: "done", count: done, bytes: 10, sized: done),
                StateCount(state: "failed", count: failed, bytes: 10, sized: failed),
            ])
            let overall = counter.overall(received: 0, kept: KeptBytes(), gained: nil, now: .now)
            let snapshot = QueueSnapshot(overall: overall, paused: 0, running: [], ended: [], waitReason: nil)
            return DownloadOverview(snapshot, network: nil, isFetching: false).title
        }
        #expect(title(done: 3, failed: 0) == "Download complete")
        #expect(title(done: 2, failed: 1) == "Download complete, 1 failed")
        #expect(title(done: 0, failed: 3) == "Download failed")
    }
}
