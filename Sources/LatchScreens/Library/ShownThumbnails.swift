import LatchDownloads
import LatchKit

/// The thumbnails on the screen. Those that leave it are forgotten here, and their requests end.
@MainActor
final class ShownThumbnails {
    private enum Entry {
        case loading(Task<Void, Never>)
        case ready(Thumbnail)
        /// There is none, or it could not be loaded. It is tried again when it comes back to the screen.
        case none
    }

    private let store: ThumbnailStore
    private let onChange: @MainActor () -> Void
    private var entries: [PictureID: Entry] = [:]

    init(_ store: ThumbnailStore, onChange: @escaping @MainActor () -> Void) {
        self.store = store
        self.onChange = onChange
    }

    subscript(id: PictureID) -> Thumbnail? {
        if case .ready(let thumbnail) = entries[id] { thumbnail } else { nil }
    }

    /// The number of thumbnails that are kept or requested.
    var count: Int { entries.count }

    /// Shows these pictures and no others. The first ones are requested first.
    func show(_ ids: [PictureID]) {
        let wanted = Set(ids)
        for (id, entry) in entries where !wanted.contains(id) {
            if case .loading(let task) = entry { task.cancel() }
            entries[id] = nil
        }
        // The store begins with what it was asked for last.
        for id in ids.reversed() where entries[id] == nil {
            entries[id] = .loading(
                Task { [weak self, store] in
                    let thumbnail = try? await store.thumbnail(id)
                    guard !Task.isCancelled, let self else { return }
                    entries[id] = thumbnail.map(Entry.ready) ?? Entry.none
                    onChange()
                })
        }
    }

    func stop() { show([]) }
}
