/// The months of a list of pictures, and the pictures of those that are loaded.
struct LoadedMonths: Sendable {
    private(set) var months: [PictureMonth]
    /// The position of each month's first picture, and the number of all pictures at the end.
    private var starts: [Int] = []
    private var loaded: [Int: PackedPictures] = [:]
    /// The loaded months, the last used one at the end.
    private var recent: [Int] = []
    /// How each month that was loaded once looked then.
    private var signatures: [Int: Int] = [:]
    private let limit: Int

    init(_ months: [PictureMonth], limit: Int) {
        self.months = months
        self.limit = limit
        count(from: 0)
    }

    var count: Int { starts.last ?? 0 }

    /// The memory of the loaded pictures in bytes.
    var bytes: Int { loaded.values.reduce(0) { $0 + $1.bytes } }

    func positions(of month: Int) -> Range<Int> {
        months.indices.contains(month) ? starts[month]..<starts[month + 1] : count..<count
    }

    func picture(at position: Int) -> LibraryPicture? {
        guard let month = month(at: position), let pictures = loaded[month] else { return nil }
        return pictures[position - starts[month]]
    }

    func pictures(of month: Int) -> PackedPictures { loaded[month] ?? PackedPictures([]) }

    /// Returns the months with pictures at some positions.
    func months(at positions: Range<Int>) -> Range<Int> {
        let positions = positions.clamped(to: 0..<count)
        guard let first = month(at: positions.lowerBound), let last = month(at: positions.upperBound - 1) else {
            return 0..<0
        }
        return positions.isEmpty ? 0..<0 : first..<last + 1
    }

    /// Marks a month as used. Returns it when it must be loaded, and nil when it is loaded.
    mutating func monthToLoad(_ index: Int) -> PictureMonth? {
        guard months.indices.contains(index) else { return nil }
        guard loaded[index] != nil else { return months[index] }
        recent.removeAll { $0 == index }
        recent.append(index)
        return nil
    }

    /// Stores the pictures of a month. Returns the change when they are others than before, or not as many as counted.
    mutating func insert(_ pictures: PackedPictures, at index: Int) -> PictureListChange? {
        let (old, signature) = (positions(of: index), pictures.signature)
        let isOther = signatures[index].map { $0 != signature } ?? false
        signatures[index] = signature
        loaded[index] = pictures
        recent.removeAll { $0 == index }
        recent.append(index)
        if old.count != pictures.count {
            months[index].count = pictures.count
            count(from: index)
        }
        removeOldest()
        return isOther || old.count != pictures.count
            ? PictureListChange(positions: old, newCount: pictures.count) : nil
    }

    private mutating func removeOldest() {
        var total = loaded.values.reduce(0) { $0 + $1.count }
        while total > limit, recent.count > 1 {
            total -= loaded.removeValue(forKey: recent.removeFirst())?.count ?? 0
        }
    }

    private mutating func count(from index: Int) {
        starts = Array(starts.prefix(index + 1))
        if starts.isEmpty { starts = [0] }
        for month in index..<months.count { starts.append(starts[month] + months[month].count) }
    }

    private func month(at position: Int) -> Int? {
        guard (0..<count).contains(position) else { return nil }
        var (low, high) = (0, months.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= position { low = middle } else { high = middle }
        }
        // A month may have become empty, and then begins where the next one does.
        return low
    }
}
