import CAdwaita
import LatchScreens
import Widgets

/// The grid of a section's pictures. Only the pictures on the screen and near it are loaded.
@MainActor
final class PictureGrid {
    /// The pictures before and after those on the screen that are loaded too.
    private static let margin = 40

    private let screen: LibraryScreen
    /// What the page contains. It keeps this object.
    let list: ItemList<PictureCell>
    private let cells: Cells
    private var isWaiting = false

    /// The cells that exist. Their widgets own them.
    private final class Cells {
        var all: [() -> PictureCell?] = []
    }

    /// Makes a grid without pictures.
    init(_ screen: LibraryScreen) {
        self.screen = screen
        let cells = Cells()
        self.cells = cells
        list = ItemList(
            LibraryScreen.Text.title, .grid(columns: 2...12),
            make: {
                let cell = PictureCell()
                cells.all.append { [weak cell] in cell }
                return (cell, cell.content)
            }, show: { cell, position in cell.show(position, of: screen) },
            activated: { position in
                if Keyboard.isShiftPressed { screen.extendSelection(to: position) } else { screen.toggle(position) }
            })
        list.keep(self)
        for signal in ["value-changed", "changed"] {
            // The view may end after this object.
            Signals.connect(UnsafeMutableRawPointer(adjustment), signal) { [weak self] in self?.update() }
        }
    }

    /// Shows a number of pictures, and draws those again that may have changed.
    func show(_ count: Int) {
        if count != list.items.count {
            list.items.count = count
            update()
        }
        cells.all.removeAll { $0() == nil }
        for cell in cells.all { if let cell = cell(), cell.position < count { cell.show(cell.position, of: screen) } }
    }

    /// Scrolls to a position. Returns false while the grid has no size yet, which it gets with the next frame.
    func scroll(to position: Int) -> Bool {
        guard list.items.count > position, gtk_adjustment_get_upper(adjustment) > 0 else { return false }
        list.scroll(to: position)
        return true
    }

    private var adjustment: UnsafeMutablePointer<GtkAdjustment> {
        gtk_scrolled_window_get_vadjustment(list.widget.opaque)
    }

    /// Tells the screen which pictures are visible, once for all changes of a turn.
    func update() {
        guard !isWaiting else { return }
        isWaiting = true
        Task { [weak self] in
            guard let self else { return }
            isWaiting = false
            screen.setVisible(visible)
        }
    }

    private var visible: Range<Int> {
        let (count, height) = (list.items.count, gtk_adjustment_get_upper(adjustment))
        guard count > 0, height > 0 else { return 0..<0 }
        let start = gtk_adjustment_get_value(adjustment) / height * Double(count)
        let length = gtk_adjustment_get_page_size(adjustment) / height * Double(count)
        let first = max(0, Int(start) - Self.margin)
        return first..<max(first, min(count, Int(start + length) + Self.margin))
    }
}
