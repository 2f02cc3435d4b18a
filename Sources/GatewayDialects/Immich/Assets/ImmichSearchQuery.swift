import FoundationEssentials
import GatewayCore
import HTTPMessages
import PictureLibrary

/// The search that a request body describes.
///
/// Source: immich-app/immich v3.1.0, `open-api/immich-openapi-specs.json`, `MetadataSearchDto`.
struct ImmichSearchQuery: Sendable {
    static let visibilities = ["archive", "timeline", "hidden", "locked"]

    private(set) var query = AssetQuery()
    private(set) var page = 1
    private(set) var withExif = false
    /// Whether the search asks for data that no asset here has, such as faces, tags, places or ratings.
    private(set) var findsNothing = false

    /// Members that select by data that is not stored here. A search with one of them finds nothing.
    private static let unknowns = [
        "city", "country", "state", "lensModel", "libraryId", "deviceId", "deviceAssetId", "encodedVideoPath",
        "previewPath", "thumbnailPath", "description", "ocr", "rating",
    ]

    init(_ body: inout ImmichBody) {
        page = body.optionalNumber("page", atLeast: 1) ?? 1
        query.count = body.optionalNumber("size", atLeast: 1) ?? 250
        if query.count > ImmichAssetRoutes.largestPage {
            body.refuse(
                "size", message: "Too big: expected number to be <=\(ImmichAssetRoutes.largestPage)", code: "too_big")
        }
        let (skip, isTooFar) = (page - 1).multipliedReportingOverflow(by: query.count)
        query.skip = isTooFar ? .max : skip
        withExif = body.optionalBool("withExif") ?? false
        query.kind = body.choice("type", ["IMAGE", "VIDEO", "AUDIO", "OTHER"]).flatMap { type in
            if AssetKind(rawValue: type) == nil { findsNothing = true }
            return AssetKind(rawValue: type)
        }
        query.visibility = body.choice("visibility", Self.visibilities).flatMap(AssetVisibility.init) ?? .timeline
        query.isAscending = body.choice("order", ["asc", "desc"]) == "asc"
        query.isMotion = body.optionalBool("isMotion")
        query.taken = .init(from: body.date("takenAfter"), to: body.date("takenBefore"))
        query.added = .init(from: body.date("createdAfter"), to: body.date("createdBefore"))
        query.updated = .init(from: body.date("updatedAfter"), to: body.date("updatedBefore"))
        readNames(&body)
        readAbsences(&body)
    }

    private mutating func readNames(_ body: inout ImmichBody) {
        query.name = body.presentText("originalFileName")
        query.make = body.presentText("make")
        query.model = body.presentText("model")
        query.id = body.id("id")
        if let checksum = body.presentText("checksum") {
            query.checksum = Data(base64Encoded: checksum).map { Array($0) } ?? []
        }
        let albums = body.ids("albumIds") ?? []
        query.album = albums.first
        // A file is in one folder only.
        if Set(albums).count > 1 { findsNothing = true }
    }

    private mutating func readAbsences(_ body: inout ImmichBody) {
        for name in ["personIds", "tagIds"] where !(body.ids(name) ?? []).isEmpty { findsNothing = true }
        for name in ["isFavorite", "isOffline", "isEncoded"] where body.optionalBool(name) == true {
            findsNothing = true
        }
        for name in ["withDeleted", "withStacked", "withPeople", "isNotInAlbum"] { _ = body.optionalBool(name) }
        for name in ["trashedAfter", "trashedBefore"] where body.date(name) != nil { findsNothing = true }
        for name in Self.unknowns where body.has(name) && !body.isNull(name) { findsNothing = true }
    }
}

extension ImmichBody {
    /// Reads an optional member that must be one of `words`. Returns nil when it is missing or refused.
    mutating func choice(_ name: String, _ words: [String]) -> String? {
        guard let word = optionalText(name) else { return nil }
        guard words.contains(word) else {
            let list = words.map { "\"\($0)\"" }.joined(separator: "|")
            refuse(name, message: "Invalid option: expected one of \(list)", code: "invalid_value")
            return nil
        }
        return word
    }

    /// Reads an optional string. Returns nil when it is missing or `null`.
    mutating func presentText(_ name: String) -> String? {
        isNull(name) ? nil : optionalText(name)
    }

    /// Reads an optional id. Returns nil when it is missing or refused.
    mutating func id(_ name: String) -> UUID? {
        guard let text = optionalText(name) else { return nil }
        let id = ImmichRouting.id(text)
        if id == nil { refuse(name, message: "Invalid UUID", code: "invalid_format") }
        return id
    }

    /// Reads an optional list of ids. Returns nil when it is missing or not an array.
    mutating func ids(_ name: String) -> [UUID]? {
        guard let value = json[name] else { return nil }
        guard let elements = value.array else {
            refuse(name, message: "Invalid input: expected array", code: "invalid_type")
            return nil
        }
        let ids = elements.map { $0.string.flatMap(ImmichRouting.id) }
        if ids.contains(nil) { refuse(name, message: "Invalid UUID", code: "invalid_format") }
        return ids.compactMap { $0 }
    }

    /// Reads an optional date. Returns nil when it is missing or refused.
    mutating func date(_ name: String) -> Date? {
        guard let text = optionalText(name) else { return nil }
        let date = Timestamp.date(text)
        if date == nil { refuse(name, message: "Invalid ISO datetime", code: "invalid_format") }
        return date
    }
}
