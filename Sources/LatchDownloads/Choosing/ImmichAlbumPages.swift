import HTTPMessages

/// The tasks of everything in an album that matches a selection, including what other people added, a page at a time.
/// A page is requested when it is needed.
struct ImmichAlbumPages: AsyncSequence {
    let library: ImmichLibrary
    let album: LibraryAlbum
    let selection: DownloadSelection

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(library: library, album: album, selection: selection)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let library: ImmichLibrary
        fileprivate let album: LibraryAlbum
        fileprivate let selection: DownloadSelection
        private var hasBegun = false
        /// The search for the person's own pictures, until it ends.
        private var search: ImmichPages.AsyncIterator?
        /// The ids of what the search has found, and how many assets that were.
        private var found: Set<String> = []
        private var count = 0
        /// The ids of other people's pictures that are not requested yet.
        private var others: ArraySlice<String> = []
        /// The matching pictures of an album response that are not returned yet.
        private var listed: ArraySlice<JSONValue> = []

        fileprivate init(library: ImmichLibrary, album: LibraryAlbum, selection: DownloadSelection) {
            (self.library, self.album, self.selection) = (library, album, selection)
        }

        mutating func next() async throws -> [DownloadTask]? {
            if !hasBegun { try await begin() }
            if let assets = try await search?.next() {
                record(assets)
                return try await library.tasks(of: assets.filter(isSelected))
            }
            if search != nil {
                search = nil
                // A search finds only the person's own pictures; an album may also hold those of others.
                if count < album.count ?? .max {
                    others = try await library.ids(in: album).filter { !found.contains($0) }[...]
                }
            }
            while let id = others.popFirst() {
                guard let asset = try await library.othersAsset(id, in: album), isSelected(asset) else { continue }
                return try await library.tasks(of: [asset])
            }
            guard !listed.isEmpty else { return nil }
            let page = Array(listed.prefix(ImmichLibrary.pageSize))
            listed = listed.dropFirst(page.count)
            return try await library.tasks(of: page)
        }

        private mutating func begin() async throws {
            let version = try await library.version()
            if version.searchesAlbums {
                let filters = [JSONValue.Member("albumIds", .array([.string(album.id)]))]
                search = library.pages(filters, version).makeAsyncIterator()
            } else {
                listed = try await library.assets(in: album).filter(isSelected)[...]
            }
            hasBegun = true
        }

        private mutating func record(_ assets: [JSONValue]) {
            for asset in assets {
                found.formUnion([ImmichAssetReading.id(asset), ImmichAssetReading.video(of: asset)].compactMap { $0 })
            }
            count += assets.count
        }

        private func isSelected(_ asset: JSONValue) -> Bool {
            selection.isFor(taken: ImmichAssetReading.taken(asset), isFavourite: asset["isFavorite"]?.bool == true)
        }
    }
}
