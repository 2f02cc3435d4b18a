import LatchDownloads
import Testing

@testable import LatchScreens

/// The selected positions of a grid.
@Suite("Selection of pictures") struct PictureSelectionTests {
    @Test("DL-1 DL-9 one picture, a range, a month and all are selected, and to select ten million costs one range")
    func ways() {
        var selection = PictureSelection()
        selection.toggle(5, in: 100)
        selection.extend(to: 9, in: 100)
        #expect(selection.count == 5 && selection.contains(7) && !selection.contains(4))
        selection.toggle(7, in: 100)
        #expect(selection.count == 4 && !selection.contains(7))
        selection.toggle(0..<10)
        #expect(selection.count == 10)
        selection.toggle(0..<10)
        #expect(selection.count == 0)
        selection.selectAll(10_000_000)
        #expect(selection.count == 10_000_000 && selection.positions.ranges.count == 1)
    }

    @Test("DL-1 positions outside the grid select nothing")
    func outside() {
        var selection = PictureSelection()
        for position in [-1, 3, .max, .min] {
            selection.toggle(position, in: 3)
            selection.extend(to: position, in: 3)
        }
        selection.extend(to: 0, in: 0)
        #expect(selection.count == 0)
    }

    @Test(
        "DL-1 after pictures were replaced, the same later pictures are selected",
        arguments: [
            // The selected positions, the replaced ones, the new number, and the positions selected then.
            (0..<10, 3..<5, 4, [0..<12]), (0..<4, 3..<5, 1, [0..<3]), (6..<8, 3..<5, 0, [4..<6]),
            (0..<2, 3..<5, 9, [0..<2]), (3..<5, 3..<5, 0, []), (4..<7, 3..<5, 2, [5..<7]),
        ])
    func changes(before: Range<Int>, replaced: Range<Int>, newCount: Int, after: [Range<Int>]) {
        var selection = PictureSelection()
        selection.toggle(before)
        selection.apply(PictureListChange(positions: replaced, newCount: newCount))
        #expect(Array(selection.positions.ranges) == after)
        #expect(selection.count == after.reduce(0) { $0 + $1.count })
    }
}
