// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchKit
import LatchScreens
import SwiftUI

/// An album of the library, with its cover and the number of its pictures.
struct AlbumRowView: View {
    let album: LibraryAlbumRow
    let screen: LibraryScreen
    @State private var cover: Thumbnail?

    var body: some View {
        HStack {
            ThumbnailView(bytes: cover?.bytes)
            Button(album.name) { screen.show(.album(album)) }
            Text(album.count)
            Button(LibraryScreen.Text.download) { screen.askToDownload(album) }
        }
        .buttonStyle(.borderless)
        .task(id: album.cover) { @MainActor in cover = await screen.cover(of: album) }
    }
}
