public import LatchKit
import Wire

/// Finds the files that a person wishes for, on one account's server.
///
/// Source: DL-1, DL-3; contract of Immich, endpoints; `POST /search/metadata`.
public struct DownloadChooser: Sendable {
    private let account: Account
    private let session: Session

    /// Makes a chooser for an account.
    public init(_ account: Account, _ session: Session) {
        self.account = account
        self.session = session
    }

    /// Finds them, a page at a time.
    ///
    /// - Parameters:
    ///   - wish: What.
    ///   - take: Takes each page's tasks; the next page is asked for when it returns.
    /// - Throws: ``LatchError/Code/invalidRequest`` when there is no such album, picture or path, or the server is no picture
    ///   library; the codes of network and session; what `take` throws.
    public func find(_ wish: DownloadWish, _ take: ([DownloadTask]) async throws -> Void) async throws {
        var wish = wish
        for path in try wish.paths.map(below) {
            if let id = picture(at: path) { wish.ids.append(id) } else { try await take([try await file(path)]) }
        }
        guard !wish.ids.isEmpty || wish.isSearch else { return }
        guard account.dialect.rawValue == "immich" else {
            throw LatchError(
                .invalidRequest,
                "\(account.serverURL) speaks \(session.dialect.title) and has no pictures to choose from, "
                    + "only addresses. Give the paths of files: latch download /path/of/file")
        }
        let library = ImmichLibrary(account, session)
        for id in wish.ids { try await take(try await library.asset(id)) }
        guard wish.isSearch else { return }
        if wish.albums.isEmpty { return try await library.search(wish, take) }
        for album in wish.albums { try await library.album(album, wish, take) }
    }

    /// The path below the account's server that a path or whole address means.
    private func below(_ text: String) throws(LatchError) -> String {
        guard FileAddress.isOne(text) else { return text }
        let address = try FileAddress(text)
        if let path = address.request(to: account.serverURL) { return path }
        throw LatchError(
            .invalidRequest,
            "The file is at \(address.origin), and this account at \(account.serverURL), which does not send its token "
                + "elsewhere. Name an account there with --account, or none.")
    }

    /// The id of a picture whose page in the browser a path is.
    private func picture(at path: String) -> String? {
        guard account.dialect.rawValue == "immich" else { return nil }
        let parts = path.prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
        guard parts.dropLast().last == "photos", let id = parts.last.map(String.init) else { return nil }
        return ImmichAssetReading.isID(id) ? id : nil
    }

    /// The file at a path or whole address of the server, under its whole address.
    private func file(_ path: String) async throws -> DownloadTask {
        let url = try account.serverURL.url(of: path)
        let bare = path.prefix { $0 != "?" && $0 != "#" }
        let last = bare.split(separator: "/").last.map(String.init) ?? account.serverURL.host
        return DownloadTask(
            id: try await SealedQuery.id(url, try await session.downloadKey()), account: account.id, url: url,
            filename: PercentEncoding.decode(last.utf8) ?? last, group: .file)
    }
}
