import LatchKit
import LatchScreens
import Widgets

/// The albums of the library, each with its cover and the number of its pictures.
@MainActor
final class AlbumList {
    private static let side: Int32 = 56

    private let screen: LibraryScreen
    /// The covers that are loaded next, one after another.
    private var covers: [(album: LibraryAlbumRow, picture: Picture)] = []
    private var loading: Task<Void, Never>?

    /// Makes the list. Covers are loaded as long as it exists.
    static func content(_ albums: [LibraryAlbumRow], of screen: LibraryScreen) -> any Element {
        let owner = AlbumList(screen)
        let shown = albums.prefix(LibraryAlbumRow.most)
        let group = Group.long(description: LibraryAlbumRow.note(albums), shown) { [unowned owner] in owner.row($0) }
        group.keep(owner)
        return group
    }

    private init(_ screen: LibraryScreen) { self.screen = screen }

    deinit { loading?.cancel() }

    private func row(_ album: LibraryAlbumRow) -> any Element {
        let cover = Picture("")
        cover.show(nil, side: Self.side)
        load(cover, of: album)
        let download = Button(icon: "folder-download-symbolic", name: LibraryScreen.Text.download) { [screen] in
            screen.askToDownload(album)
        }
        return ActionRow(album.name, subtitle: album.count).prefix(cover)
            .suffix(download.styled("flat").described(album.name)).opening { [screen] in screen.show(.album(album)) }
    }

    private func load(_ picture: Picture, of album: LibraryAlbumRow) {
        covers.append((album, picture))
        guard loading == nil else { return }
        loading = Task { [weak self, screen] in
            while let (album, picture) = self?.next() {
                guard let thumbnail = await screen.cover(of: album),
                    let image = await DecodedImage.decoded(thumbnail.bytes, side: Self.side)
                else {
                    continue
                }
                // The rows end with the owner.
                guard !Task.isCancelled, self != nil else { return }
                picture.show(image, side: Self.side)
            }
        }
    }

    private func next() -> (album: LibraryAlbumRow, picture: Picture)? {
        guard !covers.isEmpty else {
            loading = nil
            return nil
        }
        return covers.removeFirst()
    }
}
