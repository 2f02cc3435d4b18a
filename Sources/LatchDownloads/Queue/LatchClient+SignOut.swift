package import LatchKit

extension LatchClient {
    /// Returns how many files of accounts wait to be downloaded. A sign-out removes them from the queue.
    ///
    /// - Throws: A `LatchError` with a `storage` code.
    package func waitingDownloads(of accounts: [Account.ID]) async throws -> Int {
        let queue = DownloadQueue(self, library: FolderLibrary(folder: ""))
        var count = 0
        for account in accounts { count += try await queue.openTasks(of: account) }
        return count
    }

    /// Signs an account out, and removes its waiting files from the queue together with what was received of them.
    ///
    /// - Throws: The errors of ``LatchClient/signOut(_:onStep:)``.
    package func signOutDroppingDownloads(_ account: Account) async throws -> SignOutReport {
        let folder = try await LibraryLocations(self).last()?.folder
        let report = try await signOut(account)
        // What is left over is removed by the next program that downloads.
        if let folder {
            let queue = DownloadQueue(self, library: FolderLibrary(folder: folder))
            _ = try? await queue.cancelAll(of: account.id)
            await DownloadService(.queue).remove(ifDone: queue)
        }
        return report
    }
}
