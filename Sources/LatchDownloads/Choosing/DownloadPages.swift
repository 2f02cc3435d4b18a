/// The tasks of a selection, a page at a time. A page is requested when it is needed.
struct DownloadPages: AsyncSequence {
    let chooser: DownloadChooser
    let selection: DownloadSelection

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(chooser: chooser, selection: selection) }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let chooser: DownloadChooser
        fileprivate let selection: DownloadSelection
        private var hasBegun = false
        private var search: ImmichSearch.AsyncIterator?
        private var album: ImmichAlbumPages.AsyncIterator?
        /// The albums after ``album``.
        private var albums: ArraySlice<ImmichAlbumPages> = []

        fileprivate init(chooser: DownloadChooser, selection: DownloadSelection) {
            (self.chooser, self.selection) = (chooser, selection)
        }

        mutating func next() async throws -> [DownloadTask]? {
            if !hasBegun {
                let start = try await chooser.begin(selection)
                (hasBegun, search, albums) = (true, start.search?.makeAsyncIterator(), start.albums[...])
                if !start.single.isEmpty { return start.single }
            }
            if let tasks = try await search?.next() { return picked(tasks) }
            while true {
                if let tasks = try await album?.next() { return picked(tasks) }
                guard let next = albums.popFirst() else { return nil }
                album = next.makeAsyncIterator()
            }
        }

        private func picked(_ tasks: [DownloadTask]) -> [DownloadTask] {
            selection.picked.map { tasks.filter($0.contains) } ?? tasks
        }
    }
}
