/// The types of images that every desktop can show.
package enum ImageType: String, Sendable {
    /// JPEG.
    case jpeg = "image/jpeg"
    /// PNG.
    case png = "image/png"
    /// WebP.
    case webP = "image/webp"
    /// GIF.
    case gif = "image/gif"

    /// Recognizes a file by its first bytes. Nil for any other file. What a server declares is ignored.
    ///
    /// Source: the WHATWG MIME Sniffing standard, Matching an image type pattern.
    package init?(_ bytes: [UInt8]) {
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBPVP".utf8) {
            self = .webP
        } else if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) {
            self = .gif
        } else {
            return nil
        }
    }
}
