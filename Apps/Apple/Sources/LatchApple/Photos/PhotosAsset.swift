// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

public import Foundation
import Photos

/// A complete file, or the two files of a live photo, on the way to the photo library.
public struct PhotosAsset: Sendable, Hashable {
    /// The files of an asset.
    public enum Content: Sendable, Hashable {
        /// A photograph.
        case image(URL)
        /// A video.
        case video(URL)
        /// A live photo, of which nothing is stored unless both files are (DL-6).
        case livePhoto(still: URL, video: URL)
    }

    /// The files. They are moved into the photo library.
    public let content: Content
    /// When the picture was taken. Nil for the time in the file itself.
    public let taken: Date?

    /// Creates an asset.
    public init(_ content: Content, taken: Date? = nil) {
        self.content = content
        self.taken = taken
    }

    /// The resources from which the system makes the asset.
    ///
    /// Source: https://developer.apple.com/documentation/photos/phassetresourcetype
    var resources: [(type: PHAssetResourceType, file: URL)] {
        switch content {
        case .image(let file): [(.photo, file)]
        case .video(let file): [(.video, file)]
        case .livePhoto(let still, let video): [(.photo, still), (.pairedVideo, video)]
        }
    }
}
