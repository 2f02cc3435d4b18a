/// The tasks of everything that matches a selection without albums, a page at a time. A page is requested when it is
/// needed.
struct ImmichSearch: AsyncSequence {
    let library: ImmichLibrary
    let selection: DownloadSelection

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(library: library, selection: selection) }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let library: ImmichLibrary
        fileprivate let selection: DownloadSelection
        /// Nil before the first page.
        private var pages: ImmichPages.AsyncIterator?
        /// What is known about the videos of live photos. Nil when each video is requested by itself.
        private var videos: LiveVideoIndex?

        fileprivate init(library: ImmichLibrary, selection: DownloadSelection) {
            (self.library, self.selection) = (library, selection)
        }

        mutating func next() async throws -> [DownloadTask]? {
            if pages == nil { try await begin() }
            guard let assets = try await pages?.next() else { return nil }
            if selection.isLockedFolder {
                return try await library.tasks(of: assets).map { task in
                    var task = task
                    task.group = .locked
                    return task
                }
            }
            guard videos != nil else { return try await library.tasks(of: assets) }
            return assets.flatMap { library.reading.tasks($0, video: videos?.facts(of: $0)) }
        }

        private mutating func begin() async throws {
            let (filters, version) = (ImmichLibrary.filters(selection), try await library.version())
            if selection.isLockedFolder {
                pages = try library.lockedPages(filters, version).makeAsyncIterator()
                return
            }
            // The video of a favourite is not a favourite itself.
            videos = selection.isFavouritesOnly ? nil : try await library.videos(filters, version)
            pages = library.pages(filters, version).makeAsyncIterator()
        }
    }
}

extension ImmichLibrary {
    /// Returns the tasks of everything that matches a selection without its albums, a page at a time.
    func pages(_ selection: DownloadSelection) -> ImmichSearch { ImmichSearch(library: self, selection: selection) }
}
