package import LatchKit

extension LatchClient {
    /// Returns how many files of accounts wait to be downloaded, for those that have any. A sign-out removes them from
    /// the queue.
    ///
    /// - Throws: A `LatchError` with a `storage` code.
    package func waitingDownloads(of accounts: [Account.ID]) async throws -> [Account.ID: Int] {
        let queue = DownloadQueue(self, library: FolderLibrary(folder: ""))
        var counts: [Account.ID: Int] = [:]
        for account in accounts {
            let count = try await queue.openTasks(of: account)
            if count > 0 { counts[account] = count }
        }
        return counts
    }

    /// Signs an account out, and removes its waiting files from the queue together with what was received of them.
    ///
    /// - Throws: The errors of ``LatchClient/signOut(_:onStep:)`` after which the account is still stored.
    package func signOutDroppingDownloads(_ account: Account) async throws -> SignOutOutcome {
        let folder = try await LibraryLocations(self).last()?.folder
        let report: Result<SignOutReport, any Error>
        do {
            report = .success(try await signOut(account))
        } catch {
            guard (try? await accounts.account(account.id)) == .some(nil) else { throw error }
            report = .failure(error)
        }
        var leftOver: (any Error)?
        if let folder {
            let queue = DownloadQueue(self, library: FolderLibrary(folder: folder))
            do { _ = try await queue.cancelAll(of: account.id) } catch { leftOver = error }
            await DownloadService(.queue).remove(ifDone: queue)
        }
        return SignOutOutcome(report: report, leftOver: leftOver)
    }
}

/// The result of a sign-out after which the account is no longer stored.
package struct SignOutOutcome: Sendable {
    /// What was done, or what failed although the account was removed.
    package let report: Result<SignOutReport, any Error>
    /// Why incomplete files may be left over, which the next program that downloads removes. Nil when there are none.
    package let leftOver: (any Error)?
}
