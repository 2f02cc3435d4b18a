import Wire

/// The conditional fields of a request, weighed against one file.
///
/// Source: RFC 9110 §13.1 and §13.2.2.
struct Preconditions {
    /// What the conditions come to.
    enum Outcome: Equatable {
        /// The method is performed.
        case proceed
        /// The client has it: 304.
        case notModified
        /// The file is not what the client believes: 412.
        case failed
    }

    let method: HTTPMethod
    let headers: HTTPHeaders
    let tag: EntityTag
    let modified: HTTPDate
    let now: Int

    /// In the order of the RFC: `If-Match`, or else `If-Unmodified-Since`; then `If-None-Match`, or else
    /// `If-Modified-Since`. A date that cannot be read, or stands there twice, is passed over.
    var outcome: Outcome {
        let match = headers.values("If-Match")
        if !match.isEmpty {
            guard EntityTags(match).contains({ $0.matchesStrongly(tag) }) else { return .failed }
        } else if let date = date("If-Unmodified-Since"), modified > date {
            return .failed
        }
        let isReading = method == .get || method == .head
        let noneMatch = headers.values("If-None-Match")
        if !noneMatch.isEmpty {
            guard EntityTags(noneMatch).contains({ $0.matchesWeakly(tag) }) else { return .proceed }
            return isReading ? .notModified : .failed
        }
        if isReading, let date = date("If-Modified-Since"), modified <= date { return .notModified }
        return .proceed
    }

    /// The range that is to be sent; nil for the whole file: no `Range`, one that is passed over, or `If-Range` naming
    /// another file than this. A weak tag names none.
    ///
    /// Source: RFC 9110 §13.1.5 and §14.2.
    var range: ByteRange? {
        let ranges = headers.values("Range")
        guard method == .get, ranges.count == 1, let range = ByteRange(ranges[0]) else { return nil }
        let conditions = headers.values("If-Range")
        guard let condition = conditions.first else { return range }
        guard conditions.count == 1 else { return nil }
        if let named = EntityTag(condition) { return named.matchesStrongly(tag) ? range : nil }
        return HTTPDate(condition, now: now) == modified ? range : nil
    }

    private func date(_ name: String) -> HTTPDate? {
        let values = headers.values(name)
        return values.count == 1 ? HTTPDate(values[0], now: now) : nil
    }
}
