/// A month of the response to `GET /timeline/buckets`.
///
/// Source: docs/protocols/immich.md, Timeline; `TimeBucketsResponseDto` of 3.1.0.
package struct ImmichTimeBucket: Codable, Sendable, Equatable {
    /// The first day of the month: `2024-07-01`.
    package var timeBucket: String
    /// The number of assets.
    package var count: Int

    /// Creates a month.
    package init(timeBucket: String, count: Int) {
        self.timeBucket = timeBucket
        self.count = count
    }
}
