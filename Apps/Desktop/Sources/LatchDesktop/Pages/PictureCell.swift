import LatchDownloads
import LatchKit
import LatchScreens
import Widgets

/// One picture of the grid: its thumbnail, what it is, and whether it is selected.
@MainActor
final class PictureCell {
    /// The length of a cell's side in pixels.
    static let side: Int32 = 132

    /// The position in the grid that the cell shows.
    private(set) var position = 0
    /// What the grid shows.
    let content: Overlay
    private let picture = Picture(LibraryScreen.Text.loading)
    private let missing = Icon("image-x-generic-symbolic").styled("dim-label")
    private let selected = Icon("object-select-symbolic").styled("osd", "circular")
    private let kind = Icon("media-playback-start-symbolic").styled("osd", "circular")
    /// The picture whose thumbnail is shown or being decoded.
    private var shown: PictureID?
    private var decoding: Task<Void, Never>?

    /// Makes a cell without a picture.
    init() {
        picture.show(nil, side: Self.side)
        content = Overlay(picture.styled("frame")).add(missing, .middle, .middle).add(selected, .end, .start).add(
            kind, .start, .end
        ).centered()
    }

    deinit { decoding?.cancel() }

    /// Shows the picture at a position.
    func show(_ position: Int, of screen: LibraryScreen) {
        self.position = position
        let cell = screen.picture(at: position)
        selected.isVisible = cell?.isSelected ?? false
        kind.isVisible = cell.map { $0.isVideo || $0.isLive } ?? false
        content.set(class: "selected", cell?.isSelected ?? false)
        let name = cell.map { $0.isSelected ? "\($0.label), selected" : $0.label } ?? LibraryScreen.Text.loading
        content.named(name)
        picture.describe(name)
        guard let cell, let thumbnail = screen.thumbnail(at: position) else { return clear(unless: cell?.id) }
        guard shown != cell.id else { return }
        clear(unless: nil)
        shown = cell.id
        decoding = Task { [weak self] in
            let image = await DecodedImage.decoded(thumbnail.bytes, side: Self.side)
            guard !Task.isCancelled, let self else { return }
            draw(image)
        }
    }

    private func draw(_ image: DecodedImage?) {
        picture.show(image, side: Self.side)
        missing.isVisible = image == nil
    }

    /// Removes the shown thumbnail if it is that of another picture.
    private func clear(unless id: PictureID?) {
        guard shown != nil, id == nil || shown != id else { return }
        decoding?.cancel()
        shown = nil
        draw(nil)
    }

}
