import Crypto
import FoundationEssentials
import LatchDownloads
import LatchKit
import Synchronization
import Terminal

/// Downloading the locked folder of a server.
extension DownloadFiles {
    /// Unlocks the locked folder while the command runs.
    func performUnlocked(in context: CommandContext) async throws -> ExitCode {
        let (account, _) = try await context.session(selector)
        let client = try await context.client()
        try client.requirePIN(of: account)
        let pin = try PIN(
            readsPIN
                ? try await StandardInput.firstLine(as: "--pin-stdin", "PIN")
                : try await context.prompter.askSecret(
                    "PIN at \(account.serverURL.authority)", instead: "Give it on standard input: --pin-stdin"))
        // Another program may make another account the active one.
        var files = self
        files.selector = account.id.uuidString
        do {
            return try await client.withUnlocked(pin, of: account) { [files] _ in
                try await files.performChoosing(in: context)
            }
        } catch let error as LatchError where error.code != .cancelled {
            context.setStopMessage("Stopped. \(error.messageWithCommand)")
            throw error
        } catch {
            context.setStopMessage("Stopped. The folder is locked again. To download the rest: latch download --locked")
            throw error
        }
    }

    /// Downloads the files of the locked folder, and no others, so that the folder is soon locked again. Those that are
    /// not here at the end are removed from the queue, because a later run has no access to them.
    func fetchLocked(
        _ queue: DownloadQueue, _ library: PictureLibrary, _ background: BackgroundDownload, _ context: CommandContext
    ) async throws -> ExitCode {
        guard try await !queue.isFetchedElsewhere() else {
            throw LatchError(
                .storageLocked,
                "Another 'latch download' is running, and nothing was selected. Repeat the command after it has ended.")
        }
        let ids = Mutex<[String]>([])
        let result: Result<ExitCode, any Error>
        do {
            try await addSelection(to: queue, in: library, context) { tasks in
                ids.withLock { $0 += tasks.map(\.id) }
            }
            result = .success(
                ids.withLock(\.isEmpty) ? .done : try await background.run(queue, only: .locked))
        } catch {
            result = .failure(error)
        }
        let account = selector.flatMap(UUID.init)
        // Also after Ctrl-C.
        await Task { _ = try? await queue.cancel(ids.withLock { $0 }, of: account) }.value
        return try result.get()
    }
}
