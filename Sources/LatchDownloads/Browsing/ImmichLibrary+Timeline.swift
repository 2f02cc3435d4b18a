import FoundationEssentials
import HTTPMessages
import LatchKit

/// The timeline of an Immich server: the months of a library or an album, and the pictures of a month.
///
/// Source: docs/protocols/immich.md, Timeline.
extension ImmichLibrary {
    /// The maximum size of a month's list in bytes. That is about 60,000 pictures.
    private static let maximumMonthBytes = 32 << 20
    /// The maximum number of months, which is more than 1,500 years.
    private static let maximumMonths = 20_000

    /// Returns the months that have pictures, newest first.
    ///
    /// - Parameter filters: The query parameters of ``timelineFilters(album:isFavouritesOnly:)``.
    /// - Returns: The months, each with the number of its pictures.
    /// - Throws: A `LatchError` for network and session errors, and for a response that makes no sense.
    func months(_ filters: String) async throws -> [PictureMonth] {
        let response = try await session.client.send(
            .get, "\(reading.api)/timeline/buckets?\(filters)", headers: Self.headers)
        guard response.status.isSuccess, let list = (try? JSONValue(parsing: response.body))?.array,
            list.count <= Self.maximumMonths
        else { throw refusal(response, "The months of the library could not be listed") }
        let months = list.compactMap { entry -> PictureMonth? in
            guard let bucket = entry["timeBucket"]?.string, let count = entry["count"]?.integer else { return nil }
            return PictureMonth(bucket: bucket, count: count)
        }
        // Each count is below the maximum, and there are few months, so the sum does not overflow.
        guard months.reduce(0, { $0 + $1.count }) <= PictureList.maximumCount else {
            throw LatchError(
                .unreadableResponse,
                "\(account.serverURL) lists more than \(PictureList.maximumCount) pictures, which cannot be shown. "
                    + "Select an album.")
        }
        return months
    }

    /// Returns the pictures of a month, newest first.
    func pictures(of month: PictureMonth, _ filters: String) async throws -> [LibraryPicture] {
        var request = DialectRequest(
            .get,
            "\(reading.api)/timeline/bucket?timeBucket=\(PercentEncoding.encode(month.bucket))&\(filters)",
            headers: Self.headers)
        request.maximumBodyBytes = Self.maximumMonthBytes
        let response = try await session.client.send(request)
        guard response.status.isSuccess, let list = try? JSONValue(parsing: response.body),
            let pictures = list.array.map({ $0.compactMap(Self.picture) }) ?? Self.pictures(inColumns: list)
        else { throw refusal(response, "The pictures of a month could not be listed") }
        return pictures
    }

    /// Returns the query parameters for a selection without its times.
    ///
    /// - Parameters:
    ///   - album: The id of the album. Nil for the whole library.
    ///   - isFavouritesOnly: Whether only favourites are listed.
    /// - Returns: The parameters, without the question mark.
    static func timelineFilters(album: String?, isFavouritesOnly: Bool) -> String {
        // Releases before 1.133 need the size.
        var filters = "size=MONTH&order=desc"
        if let album { filters += "&albumId=" + PercentEncoding.encode(album) }
        return isFavouritesOnly ? filters + "&isFavorite=true" : filters
    }

    /// Reads the object with an array for each property. Returns nil when the arrays do not fit together.
    private static func pictures(inColumns list: JSONValue) -> [LibraryPicture]? {
        guard let ids = list["id"]?.array, let kinds = list["isImage"]?.array, kinds.count == ids.count,
            let times = list["fileCreatedAt"]?.array, times.count == ids.count
        else { return nil }
        let videos = list["livePhotoVideoId"]?.array
        guard videos.map({ $0.count == ids.count }) ?? true else { return nil }
        return ids.indices.compactMap { index in
            PictureID(text: ids[index].string).map {
                LibraryPicture(
                    id: $0, taken: times[index].string.flatMap(ServerTime.date) ?? .distantPast,
                    isVideo: kinds[index].bool == false, isLive: videos?[index].string != nil)
            }
        }
    }

    /// Reads a picture as releases before 1.133 list it.
    private static func picture(_ asset: JSONValue) -> LibraryPicture? {
        guard let id = PictureID(text: asset["id"]?.string), asset["isTrashed"]?.bool != true else { return nil }
        return LibraryPicture(
            id: id, taken: ImmichAssetReading.taken(asset) ?? .distantPast,
            isVideo: asset["type"]?.string == "VIDEO", isLive: ImmichAssetReading.video(of: asset) != nil)
    }
}
