import FoundationEssentials

extension PictureList {
    /// The maximum number of pictures that are looked up one by one. For more, the library is searched.
    static let maximumLookups = 100

    /// Returns the selection that downloads the pictures at some positions.
    ///
    /// For the whole list this costs nothing. Otherwise the months of those pictures are loaded, or the months of the
    /// others if these are fewer.
    ///
    /// - Throws: The errors of ``load(_:)``.
    public func downloads(of positions: RangeSet<Int>) async throws -> DownloadSelection {
        let all = RangeSet(0..<count)
        let (chosen, others) = (positions.intersection(all), all.subtracting(positions))
        var selection = selection
        guard !others.isEmpty else { return selection }
        let chosenCount = chosen.ranges.reduce(0) { $0 + $1.count }
        let othersCount = others.ranges.reduce(0) { $0 + $1.count }
        if chosenCount <= Self.maximumLookups {
            return DownloadSelection(ids: try await pictures(at: chosen).map(\.id.text))
        }
        if othersCount < chosenCount {
            selection.picked = .except(Set(try await pictures(at: others).map(\.id)))
            return selection
        }
        let pictures = try await pictures(at: chosen)
        selection.picked = .only(Set(pictures.map(\.id)))
        // The search then needs fewer pages. A picture without a time is found only by a search without limits.
        if let first = pictures.map(\.taken).min(), let last = pictures.map(\.taken).max(), first > .distantPast {
            selection.takenFrom = first
            selection.takenBefore = last.addingTimeInterval(1)
        }
        return selection
    }
}
