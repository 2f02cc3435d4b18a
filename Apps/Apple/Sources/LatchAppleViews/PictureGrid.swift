// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchKit
import LatchScreens
import SwiftUI

/// The pictures of a section. Only those on the screen are loaded.
struct PictureGrid: View {
    let screen: LibraryScreen
    let count: Int

    var body: some View {
        ScrollViewReader { proxy in
            ScrollView {
                LazyVGrid(columns: [GridItem(.adaptive(minimum: ThumbnailView.side))]) {
                    ForEach(0..<count, id: \.self) { PictureCell(screen: screen, position: $0) }
                }
                .scrollTargetLayout()
            }
            .onScrollTargetVisibilityChange(idType: Int.self, threshold: 0.01) { positions in
                if let first = positions.min(), let last = positions.max() { screen.setVisible(first..<last + 1) }
            }
            .onChange(of: screen.target, initial: true) { _, target in
                guard let target else { return }
                proxy.scrollTo(target, anchor: .top)
                screen.targetShown()
            }
        }
    }
}

/// One picture of the grid. A tap selects it, a long press all from the last selected one to it.
private struct PictureCell: View {
    let screen: LibraryScreen
    let position: Int

    var body: some View {
        let cell = screen.picture(at: position)
        let isSelected = cell?.isSelected ?? false
        ZStack(alignment: .bottomTrailing) {
            ThumbnailView(bytes: screen.thumbnail(at: position)?.bytes)
            HStack {
                if cell?.isVideo ?? false { Image(systemName: "play.fill") }
                if cell?.isLive ?? false { Image(systemName: "livephoto") }
                if isSelected { Image(systemName: "checkmark.circle.fill") }
            }
        }
        .onTapGesture { screen.toggle(position) }
        .onLongPressGesture { screen.extendSelection(to: position) }
        .accessibilityElement()
        .accessibilityLabel(cell?.label ?? LibraryScreen.Text.loading)
        .accessibilityAddTraits(isSelected ? [.isButton, .isSelected] : .isButton)
    }
}
