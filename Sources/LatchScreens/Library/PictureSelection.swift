import LatchDownloads

/// The selected positions of a grid, as ranges: to select a whole library costs as much as to select one picture.
public struct PictureSelection: Equatable, Sendable {
    /// The selected positions.
    public private(set) var positions = RangeSet<Int>()
    /// The number of selected pictures.
    public private(set) var count = 0
    /// The picture that was selected last, from which a selection is extended.
    private var anchor: Int?

    /// Whether a position is selected.
    public func contains(_ position: Int) -> Bool { positions.contains(position) }

    mutating func toggle(_ position: Int, in total: Int) {
        guard (0..<total).contains(position) else { return }
        toggle(position..<position + 1)
        anchor = position
    }

    /// Selects a range, or ends the selection of its positions when all are selected.
    mutating func toggle(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        if RangeSet(range).subtracting(positions).isEmpty {
            positions.remove(contentsOf: range)
        } else {
            positions.insert(contentsOf: range)
        }
        recount()
        anchor = range.lowerBound
    }

    mutating func extend(to position: Int, in total: Int) {
        guard (0..<total).contains(position) else { return }
        let from = min(anchor ?? position, total - 1)
        positions.insert(contentsOf: min(from, position)..<max(from, position) + 1)
        recount()
        anchor = position
    }

    mutating func selectAll(_ total: Int) {
        positions = RangeSet(0..<total)
        recount()
    }

    /// Keeps the selection of the same pictures after a change of the grid. Pictures that were replaced are selected only
    /// when all of those before were.
    mutating func apply(_ change: PictureListChange) {
        let (old, shift) = (change.positions, change.newCount - change.positions.count)
        let isWhole = !old.isEmpty && RangeSet(old).subtracting(positions).isEmpty
        var moved = RangeSet<Int>()
        for range in positions.ranges {
            if range.lowerBound < old.lowerBound {
                moved.insert(contentsOf: range.lowerBound..<min(range.upperBound, old.lowerBound))
            }
            if range.upperBound > old.upperBound {
                moved.insert(contentsOf: max(range.lowerBound, old.upperBound) + shift..<range.upperBound + shift)
            }
        }
        if isWhole, change.newCount > 0 {
            moved.insert(contentsOf: old.lowerBound..<old.lowerBound + change.newCount)
        }
        positions = moved
        anchor = nil
        recount()
    }

    private mutating func recount() { count = positions.ranges.reduce(0) { $0 + $1.count } }
}
