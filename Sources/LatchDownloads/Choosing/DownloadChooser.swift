import HTTPMessages
public import LatchKit

/// Finds the files that a person selects on the server of one account.
///
/// Source: DL-1, DL-3; docs/protocols/immich.md, Lists.
public struct DownloadChooser: Sendable {
    private let account: Account
    private let session: Session
    /// Whether the server has a picture library.
    private let hasLibrary: Bool

    /// Creates a chooser for an account.
    public init(_ account: Account, _ session: Session) {
        self.account = account
        self.session = session
        hasLibrary = account.capabilities.contains(.pictureLibrary)
    }

    /// Returns the tasks of the selected files, a page at a time. A page is requested when it is needed.
    ///
    /// All named files and albums are looked up before the first page. The sequence throws
    /// `LatchError.Code.invalidRequest` when one of them does not exist, or the server has no picture library, and a
    /// `LatchError` for network and session errors.
    public func pages(of selection: DownloadSelection) -> some AsyncSequence<[DownloadTask], any Error> & Sendable {
        DownloadPages(chooser: self, selection: selection)
    }

    /// Looks up all named files and albums of a selection. Returns the tasks of the files, and the lists of the rest.
    func begin(
        _ selection: DownloadSelection
    ) async throws -> (single: [DownloadTask], search: ImmichSearch?, albums: [ImmichAlbumPages]) {
        let library = ImmichLibrary(account, session)
        var (single, ids): ([DownloadTask], [String]) = ([], selection.ids)
        for path in try selection.paths.map(below) {
            if hasLibrary, let picture = SharedPicture(path) {
                single += try await library.shared(picture)
            } else if hasLibrary, let id = ImmichAssetReading.pictureID(at: path) {
                ids.append(id)
            } else {
                single.append(try await file(path))
            }
        }
        guard hasLibrary || ids.isEmpty && !selection.isSearch else {
            throw LatchError(
                .invalidRequest,
                "\(account.serverURL) speaks \(session.dialect.title) and has no picture library. "
                    + "Select files by their paths.", remedy: .selectPaths)
        }
        for id in ids { single += try await library.asset(id) }
        var albums: [LibraryAlbum] = []
        for album in selection.albums {
            albums.append(try await library.album(album, lastName: selection.albumNames?[album]))
        }
        guard selection.isSearch else { return (single, nil, []) }
        let search = albums.isEmpty ? library.pages(selection) : nil
        return (single, search, albums.map { library.pages(of: $0, selection) })
    }

    /// Returns the path below the account's server address for a path or a complete address.
    private func below(_ text: String) throws(LatchError) -> String {
        guard FileAddress.isAddress(text) else { return FileAddress.escaped(text[...]) }
        let address = try FileAddress(text)
        if let path = address.request(to: account.serverURL) { return path }
        throw LatchError(
            .invalidRequest,
            "The file is at \(address.origin), but this account is at \(account.serverURL), and its token is not sent "
                + "elsewhere. Name an account there with --account, or leave out --account.")
    }

    /// Returns the task for a path, with its complete address.
    private func file(_ path: String) async throws -> DownloadTask {
        if hasLibrary, SharedPicture.isWhole(path) {
            throw LatchError(
                .invalidRequest,
                "This is the page of a share, not a file. Open its pictures in the browser, and give the URLs of those "
                    + "that you want.")
        }
        let url = try account.serverURL.url(of: path)
        let bare = path.utf8.prefix { $0 != UInt8(ascii: "?") }
        let name = bare.split(separator: UInt8(ascii: "/")).last
        let last = name.map { String(Substring($0)) } ?? account.serverURL.host
        return DownloadTask(
            id: try await SealedQuery.id(url, try await session.sealingKey()), account: account.id, url: url,
            filename: PercentEncoding.decode(last.utf8) ?? last, group: .file)
    }
}
