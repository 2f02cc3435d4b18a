import LatchDownloads
import LatchKit

extension MainScreen {
    /// Whether the account's server has a picture library.
    public var hasLibrary: Bool { account.capabilities.contains(.pictureLibrary) }

    /// Makes the screen of the account's picture library.
    public func makeLibraryScreen() -> LibraryScreen {
        LibraryScreen(
            client, account: account,
            background: .init(
                download: { [client] in
                    let queue = DownloadQueue(client, library: FolderLibrary(folder: ""))
                    _ = try await queue.fetchInBackground()
                }, follow: { [client] in try await client.followLibrariesInBackground() }),
            commands: commands)
    }
}
