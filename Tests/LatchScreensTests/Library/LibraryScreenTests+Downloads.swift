import Foundation
import HTTPClient
import LatchKit
import SecretStorage
import Synchronization
import TestSupport
import Testing

@testable import LatchDownloads
@testable import LatchScreens

/// What is selected on the screen is downloaded.
extension LibraryScreenTests {
    func download(_ screen: LibraryScreen) async throws -> LibraryDownloadScreen {
        try await observed { screen.download }
    }

    func summary(_ screen: LibraryDownloadScreen) async throws -> LibraryDownloadSummary {
        try await observed { if case .ready(let summary) = screen.state { summary } else { nil } }
    }

    @Test("DL-1 DL-11 selected pictures are counted, and added to the queue for a folder, and the download starts")
    func downloads() async throws {
        let server = try PictureServer(pictures(40))
        let started = Mutex<[String]>([])
        try await with(server) { what in
            started.withLock { $0.append(what) }
        } _: { screen, client, home in
            screen.start()
            #expect(try await shown(screen) == .pictures(40))
            screen.toggle(3)
            screen.extendSelection(to: 5)
            #expect(screen.selectionSentence == "3 of 40 selected")
            screen.askToDownload()
            let question = try await download(screen)
            #expect(!question.canFollow && question.title == "Download pictures")
            _ = try await summary(question)
            let occupied = home.path + "/occupied"
            try Data().write(to: URL(fileURLWithPath: occupied))
            question.change(folder: occupied + "/Pictures")
            _ = try await summary(question)
            question.confirm()
            _ = try await observed { if case .failed = question.state { true } else { nil } }
            try FileManager.default.removeItem(atPath: occupied)
            question.retry()
            _ = try await summary(question)
            question.change(folder: home.path + "/Pictures")
            let counted = try await summary(question)
            #expect(counted.sentence == "3 files to download, 12 bytes." && question.folder == home.path + "/Pictures")
            question.confirm()
            try await observed { question.state == .added("3 files were added to the downloads.") }
            #expect(started.withLock(\.self) == ["download"])
            let places = LibraryLocations(client)
            let library = PictureLibrary(client, folder: home.path + "/Pictures")
            #expect(try await DownloadQueue(client, library: library).tasks().count == 3)
            #expect(try await places.last()?.folder == home.path + "/Pictures")
            question.cancel()
            #expect(screen.download == nil)

            screen.clearSelection()
            screen.askToDownload()
            let whole = try await download(screen)
            #expect(try await summary(whole).files == 40)
            // Files wait for the folder, so it cannot be changed.
            #expect(whole.canFollow && !whole.canChangeFolder && whole.folder == home.path + "/Pictures")
            whole.follows = true
            whole.confirm()
            try await observed { whole.state == .added("40 files were added to the downloads.") }
            #expect(started.withLock(\.self) == ["download", "follow"])
            #expect(try await FollowedLibraries(client).all().map(\.location.folder) == [home.path + "/Pictures"])
        }
    }

    @Test(
        "DL-11 DL-12 files that are being added are all added when the page is left, and downloaded also after Cancel",
        arguments: [false, true])
    func left(_ isCancelled: Bool) async throws {
        let server = try PictureServer(pictures(2_500))
        let (gate, arrived) = (DispatchSemaphore(value: 0), AsyncStream.makeStream(of: Void.self))
        let isAdding = Mutex(false)
        server.intercept { request in
            // The second page of files arrives when the person has left the question.
            if isAdding.withLock(\.self),
                request.path.contains("/timeline/bucket?") || request.path.contains("/search/")
            {
                arrived.continuation.yield()
                gate.wait()
            }
            return nil
        }
        let started = AsyncStream.makeStream(of: String.self)
        try await with(server) { what in
            started.continuation.yield(what)
        } _: { screen, client, home in
            screen.start()
            _ = try await shown(screen)
            screen.askToDownload()
            let question = try await download(screen)
            _ = try await summary(question)
            question.change(folder: home.path + "/Pictures")
            #expect(try await summary(question).files == 2_500)
            isAdding.withLock { $0 = true }
            question.confirm()
            var requests = arrived.stream.makeAsyncIterator()
            _ = await requests.next()
            if isCancelled {
                question.cancel()
                #expect(screen.download == nil)
            } else {
                screen.stop()
                #expect(screen.download === question)
            }
            isAdding.withLock { $0 = false }
            for _ in 0..<10 { gate.signal() }
            var starts = started.stream.makeAsyncIterator()
            #expect(await starts.next() == "download")
            let library = PictureLibrary(client, folder: home.path + "/Pictures")
            let count = try await DownloadQueue(client, library: library).progress().open
            #expect(isCancelled ? count > 0 && count < 2_500 : count == 2_500)
        }
    }

    @Test("DL-13 a disk with less free space than the files is reported before, and the download is possible")
    func noSpace() async throws {
        let server = try PictureServer(pictures(3))
        try await with(server) { screen, _, home in
            screen.start()
            _ = try await shown(screen)
            screen.askToDownload()
            let question = try await download(screen)
            question.freeBytes = { $0 == home.path + "/Full" ? 11 : 12 }
            #expect(try await summary(question).spaceError == nil)
            question.change(folder: home.path + "/Full")
            let counted = try await summary(question)
            #expect(counted.bytes == 12 && counted.canDownload)
            #expect(counted.spaceError?.remedy == .freeSpace(home.path + "/Full"))
            #expect(
                counted.spaceError?.message.hasPrefix("There are only 11 bytes free in '\(home.path)/Full'. Free some")
                    == true)
        }
    }

    @Test("DL-11 a folder that cannot be made is told, and nothing is added")
    func badFolder() async throws {
        let server = try PictureServer(pictures(3))
        try await with(server) { screen, client, home in
            try Data().write(to: URL(fileURLWithPath: home.path + "/file"))
            screen.start()
            _ = try await shown(screen)
            screen.askToDownload()
            let question = try await download(screen)
            _ = try await summary(question)
            question.change(folder: home.path + "/file/Pictures")
            _ = try await summary(question)
            question.confirm()
            let error = try await observed { if case .failed(let error) = question.state { error } else { nil } }
            #expect(error.code == .fileFailed && error.message.contains("/file/Pictures"))
            #expect(try await LibraryLocations(client).last() == nil)
        }
    }
}
