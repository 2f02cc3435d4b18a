import HTTPMessages

/// The conditional header fields of a request, evaluated for one file.
///
/// Source: RFC 9110 §13.1 and §13.2.2.
struct Preconditions {
    /// The result of the conditions.
    enum Outcome: Equatable {
        /// The method is performed.
        case proceed
        /// The client already has the file: the response is 304.
        case notModified
        /// The file is not in the state that the client expects: the response is 412.
        case failed
    }

    let method: HTTPMethod
    let headers: HTTPHeaders
    let tag: EntityTag
    let modified: HTTPDate
    let now: Int

    /// The result, in the order of the RFC: `If-Match`, or `If-Unmodified-Since` without it; then `If-None-Match`, or
    /// `If-Modified-Since` without it. A date that is invalid or occurs twice is ignored.
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

    /// The range to send. Nil for the whole file: there is no `Range`, the `Range` is ignored, or `If-Range` does not
    /// match the file. A weak tag never matches.
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
