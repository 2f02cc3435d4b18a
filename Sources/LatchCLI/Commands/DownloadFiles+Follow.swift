import FoundationEssentials
import LatchDownloads
import LatchKit
import Primitives

extension DownloadFiles {
    /// By how much the time of a search precedes that of the one before, because the clocks of the server and of this
    /// machine may differ.
    private static let clockDifference: TimeInterval = 24 * 3_600

    /// Downloads the files of the queue, then new files of the library as they appear, until Ctrl-C or the end of the
    /// session. `start` is when the search that filled the queue began.
    func follow(
        _ queue: DownloadQueue, _ library: PictureLibrary, since start: Date, _ background: BackgroundDownload,
        _ context: CommandContext
    ) async throws -> ExitCode {
        context.setStopMessage("Stopped. Received data is kept. To continue: latch download")
        let (_, session) = try await context.session(selector)
        let updates = try session.events()
        try await fetch(queue, background)
        context.console.printMessage("Waiting for new pictures. To stop: Ctrl-C")
        // New pictures are downloaded while the device is locked, unless the settings of the lock say otherwise.
        try await context.client().lock.retaining {
            try await follow(updates, queue, library, since: start, background, context)
        }
        return .done
    }

    private func follow(
        _ updates: RealTimeUpdates, _ queue: DownloadQueue, _ library: PictureLibrary, since start: Date,
        _ background: BackgroundDownload, _ context: CommandContext
    ) async throws {
        var (search, last) = (self, start)
        try await LibraryFollower().run(updates) {
            let now = Date()
            search.selection.changedAfter = last.addingTimeInterval(-Self.clockDifference)
            do {
                try await search.addSelection(to: queue, in: library, context, reportsNothingNew: false)
                last = now
                try await fetch(queue, background)
            } catch let error as LatchError where error.code.leavesSessionUnknown {
                // The next connection makes another search.
                context.console.warn(error.message.printable)
            }
        }
    }

    /// Downloads what is in the queue, unless another program does.
    private func fetch(_ queue: DownloadQueue, _ background: BackgroundDownload) async throws {
        guard try await queue.progress().open > 0, try await !queue.isFetchedElsewhere() else { return }
        _ = try await background.run(queue)
    }
}
