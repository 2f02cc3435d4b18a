import LatchKit
import LatchScreens
import Widgets

/// The albums of the library, each with its cover and the number of its pictures.
@MainActor
final class AlbumList {
    private static let side: Int32 = 56
    private static let most = 500

    /// Makes the list. Covers are loaded one after another, as long as it exists.
    static func content(_ albums: [LibraryAlbumRow], of screen: LibraryScreen) -> any Element {
        let owner = AlbumList()
        var covers: [(LibraryAlbumRow, Picture)] = []
        // Each row has widgets and a cover, and a server may send any number.
        let rows = albums.prefix(most).map { album in
            let cover = Picture("")
            cover.show(nil, side: side)
            covers.append((album, cover))
            let download = Button(icon: "folder-download-symbolic", name: LibraryScreen.Text.download) {
                screen.askToDownload(album)
            }
            return ActionRow(album.name, subtitle: album.count).prefix(cover)
                .suffix(download.styled("flat").described(album.name)).opening { screen.show(.album(album)) }
        }
        let rest =
            albums.count > most
            ? "The first \(most) of \(albums.count) albums are shown. To download another one, run: latch download "
                + "--album NAME" : nil
        let group = Group(nil, description: rest, rows)
        group.keep(owner)
        owner.loading = Task { [covers, weak owner] in
            for (album, cover) in covers {
                guard let thumbnail = await screen.cover(of: album),
                    let image = await DecodedImage.decoded(thumbnail.bytes, side: side)
                else {
                    continue
                }
                // The rows end with the owner.
                guard !Task.isCancelled, owner != nil else { return }
                cover.show(image, side: side)
            }
        }
        return group
    }

    private var loading: Task<Void, Never>?

    deinit { loading?.cancel() }

}
