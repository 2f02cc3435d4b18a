import FoundationEssentials
import GatewayCore
import HTTPMessages
import HTTPServer
import PictureLibrary
import ServerMessages

/// Creates messages about photos and videos for clients of Immich.
enum ImmichAssetResponses {
    /// The owner id of shared assets. No person has this id.
    static let everybody = "00000000-0000-4000-8000-000000000000"

    /// Returns the message about one photo or video.
    static func asset(_ asset: Asset, for viewer: AssetViewer, withExif: Bool) -> ImmichAsset {
        var answer = ImmichAsset(
            id: text(asset.id), type: asset.kind.rawValue, ownerId: owner(asset.owner, viewer),
            originalFileName: asset.name, originalPath: asset.path,
            checksum: Data(asset.checksum).base64EncodedString(), fileCreatedAt: text(asset.taken),
            fileModifiedAt: text(asset.file.modificationDate), localDateTime: text(asset.takenLocally),
            createdAt: text(asset.added), updatedAt: text(asset.updated), visibility: asset.visibility.rawValue)
        answer.originalMimeType = asset.mediaType
        answer.width = asset.facts.width
        answer.height = asset.facts.height
        answer.duration = asset.facts.duration
        answer.livePhotoVideoId = asset.motion.map(text)
        if withExif { answer.exifInfo = exif(asset) }
        return answer
    }

    /// Returns the message about an album, which is a folder of the library.
    static func album(_ album: AssetAlbum, for viewer: AssetViewer) -> ImmichAlbum {
        var answer = ImmichAlbum(
            id: text(album.id), albumName: album.name, ownerId: owner(album.owner, viewer), cover: text(album.cover),
            assetCount: album.count, createdAt: text(album.added), updatedAt: text(album.updated),
            shared: album.owner == AssetOwners.shared)
        answer.startDate = text(album.first)
        answer.endDate = text(album.last)
        answer.albumUsers = users(of: album, for: viewer).map(\.json)
        return answer
    }

    /// The people who can see an album, the owner first. The owner of a shared album is a fictitious person who cannot
    /// sign in, and the caller is listed as a viewer.
    private static func users(of album: AssetAlbum, for viewer: AssetViewer) -> [ImmichAlbumUser] {
        let own = ImmichResponses.user(viewer.person)
        guard album.owner == AssetOwners.shared else { return [ImmichAlbumUser(own, .owner)] }
        let everybody = ImmichUser(
            id: everybody, email: "everybody@latchd.invalid", name: "Everybody", createdAt: text(album.added))
        return [ImmichAlbumUser(everybody, .owner), ImmichAlbumUser(own, .viewer)]
    }

    static func text(_ id: UUID) -> String { id.uuidString.lowercased() }

    static func text(_ date: Date) -> String { Timestamp.text(date, fraction: true) }

    /// Returns the id of an asset's or album's owner.
    static func owner(_ owner: String, _ viewer: AssetViewer) -> String {
        owner == AssetOwners.shared ? everybody : text(viewer.person.id)
    }

    private static func exif(_ asset: Asset) -> ImmichExif {
        var exif = ImmichExif()
        exif.make = asset.facts.make
        exif.model = asset.facts.model
        exif.exifImageWidth = asset.facts.width
        exif.exifImageHeight = asset.facts.height
        exif.fileSizeInByte = asset.file.size
        exif.orientation = asset.facts.orientation.map(String.init)
        exif.dateTimeOriginal = text(asset.taken)
        exif.modifyDate = text(asset.file.modificationDate)
        exif.timeZone = zone(Int((asset.takenLocally.timeIntervalSince(asset.taken) / 60).rounded()))
        return exif
    }

    private static func zone(_ minutes: Int) -> String {
        let (hours, rest) = abs(minutes).quotientAndRemainder(dividingBy: 60)
        guard minutes != 0 else { return "UTC" }
        return "UTC\(minutes < 0 ? "-" : "+")\(hours)" + (rest == 0 ? "" : ":\(rest < 10 ? "0" : "")\(rest)")
    }
}
