// A stand-in of what the adapters use of this framework, written from its documentation, to type-check them on Linux.
// It does nothing, proves nothing about an Apple system, and was never run on one.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported public import CoreGraphics
public import Foundation

public typealias CFData = NSData
public typealias CFDictionary = NSDictionary
public typealias CFString = NSString

// Source: https://developer.apple.com/documentation/imageio/cgimagesource
public class CGImageSource {}
public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource? { nil }
public func CGImageSourceCreateThumbnailAtIndex(
    _ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? { nil }

// Source: https://developer.apple.com/documentation/imageio/cgimagesource, its section about option dictionaries
public var kCGImageSourceCreateThumbnailFromImageAlways: CFString { "kCGImageSourceCreateThumbnailFromImageAlways" }
public var kCGImageSourceCreateThumbnailWithTransform: CFString { "kCGImageSourceCreateThumbnailWithTransform" }
public var kCGImageSourceThumbnailMaxPixelSize: CFString { "kCGImageSourceThumbnailMaxPixelSize" }
