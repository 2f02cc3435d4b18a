/// A small picture of a photo or video, as the server sends it.
public struct Thumbnail: Sendable, Hashable {
    /// The maximum size in bytes: 4 MiB. A server without thumbnails may send the photo itself.
    package static let maximumBytes = 4 << 20
    /// The maximum size of all thumbnails that are stored on this device, in bytes: 256 MiB.
    static let storedBytes = 256 << 20

    /// The bytes of a JPEG, PNG, WebP or GIF file. A front end must decode it to the size in which it is shown, because
    /// the file may have any number of pixels.
    public let bytes: [UInt8]
    /// The media type by the first bytes, such as `image/webp`. What the server declares is ignored.
    public let mediaType: String

    /// Makes a thumbnail from the bytes of a file. Returns nil when they do not begin like an image, or are more than
    /// ``maximumBytes``.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.maximumBytes, let type = ImageType(bytes) else { return nil }
        self.bytes = bytes
        mediaType = type.rawValue
    }
}
