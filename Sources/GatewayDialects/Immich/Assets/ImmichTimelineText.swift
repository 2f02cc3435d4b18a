import FoundationEssentials
import HTTPMessages
import PictureLibrary

/// The response to `GET /timeline/bucket`: an array for each property, with an element for each asset. It is written in
/// parts, so that a month of any length needs little memory.
///
/// Source: docs/protocols/immich.md, Timeline; `TimeBucketAssetResponseDto` of 3.1.0.
struct ImmichTimelineText: Sendable {
    /// How many assets a part of the text covers.
    private static let partSize = 1_000

    let assets: [TimelineAsset]
    let viewer: AssetViewer

    private typealias Column = (name: String, text: @Sendable (TimelineAsset, AssetViewer) -> String)

    private static let columns: [Column] = [
        ("id", { asset, _ in quoted(ImmichAssetResponses.text(asset.id)) }),
        ("ownerId", { asset, viewer in quoted(ImmichAssetResponses.owner(asset.owner, viewer)) }),
        ("ratio", { asset, _ in number(asset.ratio) }),
        ("isFavorite", { _, _ in "false" }),
        ("visibility", { asset, _ in quoted(asset.visibility.rawValue) }),
        ("isTrashed", { _, _ in "false" }),
        ("isImage", { asset, _ in "\(asset.kind == .image)" }),
        ("thumbhash", { _, _ in "null" }),
        ("fileCreatedAt", { asset, _ in quoted(ImmichAssetResponses.text(asset.taken)) }),
        ("localOffsetHours", { asset, _ in number(asset.takenLocally.timeIntervalSince(asset.taken) / 3_600) }),
        ("duration", { asset, _ in asset.duration.map { "\($0)" } ?? "null" }),
        ("projectionType", { _, _ in "null" }),
        ("livePhotoVideoId", { asset, _ in asset.motion.map { quoted(ImmichAssetResponses.text($0)) } ?? "null" }),
        ("city", { _, _ in "null" }),
        ("country", { _, _ in "null" }),
    ]

    /// Passes on the parts of the text, in order.
    func write(_ take: ([UInt8]) async throws -> Void) async throws {
        for (index, column) in Self.columns.enumerated() {
            var text = Array("\(index == 0 ? "{" : ",")\"\(column.name)\":[".utf8)
            for start in stride(from: 0, to: assets.count, by: Self.partSize) {
                for (place, asset) in assets[start..<min(start + Self.partSize, assets.count)].enumerated() {
                    if start + place > 0 { text.append(UInt8(ascii: ",")) }
                    text += column.text(asset, viewer).utf8
                }
                try await take(text)
                text = []
            }
            try await take(text + [UInt8(ascii: "]")])
        }
        try await take([UInt8(ascii: "}")])
    }

    private static func number(_ value: Double) -> String {
        String(decoding: JSONValue.number(value).encoded(), as: UTF8.self)
    }

    private static func quoted(_ text: String) -> String { "\"\(text)\"" }
}
