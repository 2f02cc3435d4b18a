// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

public import CoreGraphics
import Foundation
import ImageIO

/// The bytes of an image file, decoded to the size in which they are shown.
public struct EncodedImage: Sendable, Hashable {
    /// The bytes of a file of any format that the system reads.
    public let bytes: [UInt8]
    /// The longest side of the decoded image, in pixels. The file may have any number of pixels.
    public let side: Int

    /// Creates a value. Nothing is decoded yet.
    public init(_ bytes: [UInt8], side: Int) { (self.bytes, self.side) = (bytes, side) }

    /// Decodes the image outside of the main actor. Nil when the bytes are not an image.
    ///
    /// Source: https://developer.apple.com/documentation/imageio/cgimagesourcecreatethumbnailatindex(_:_:_:)
    @concurrent public func decoded() async -> sending CGImage? {
        source.flatMap { CGImageSourceCreateThumbnailAtIndex($0, 0, options as CFDictionary) }
    }

    /// The source of the image.
    ///
    /// Source: https://developer.apple.com/documentation/imageio/cgimagesourcecreatewithdata(_:_:)
    private var source: CGImageSource? { CGImageSourceCreateWithData(Data(bytes) as CFData, nil) }

    /// The options of the decoding: at most ``side`` pixels, turned as the file says, and never the thumbnail within the
    /// file, which may show something else.
    ///
    /// Source: https://developer.apple.com/documentation/imageio/kcgimagesourcethumbnailmaxpixelsize
    var options: [String: Any] {
        [
            kCGImageSourceCreateThumbnailFromImageAlways as String: true,
            kCGImageSourceCreateThumbnailWithTransform as String: true,
            kCGImageSourceThumbnailMaxPixelSize as String: side,
        ]
    }
}
