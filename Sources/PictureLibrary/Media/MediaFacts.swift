import FoundationEssentials
import Primitives

/// The metadata of a photograph or a video. A field is nil when the file does not contain it, or no valid value.
package struct MediaFacts: Sendable, Equatable {
    /// The width in pixels, after rotation.
    package var width: Int?
    /// The height in pixels, after rotation.
    package var height: Int?
    /// When it was taken.
    var taken: MediaTime?
    /// The duration in milliseconds.
    package var duration: Int?
    /// The camera's maker.
    package var make: String?
    /// The camera's model.
    package var model: String?
    /// The Exif orientation, 1 to 8, which describes how to rotate and mirror the picture.
    package var orientation: Int?

    /// Reads the metadata of a file. The content determines the format, not the name. Unknown formats have no metadata.
    static func read(_ file: MediaBytes) -> MediaFacts {
        guard let head = file.bytes(0, min(12, file.count)) else { return MediaFacts() }
        var facts: MediaFacts
        switch head.bytes {
        case let bytes where bytes.starts(with: [0xFF, 0xD8]): facts = JPEGFile.facts(file)
        case let bytes where bytes.starts(with: PNGFile.signature): facts = PNGFile.facts(file)
        case let bytes where bytes.starts(with: Array("GIF8".utf8)): facts = gif(head)
        case _ where head.text(4, 4) == "ftyp" || head.text(4, 4) == "moov": facts = BoxFile(file).facts()
        default: facts = MediaFacts()
        }
        facts.removeImplausible()
        return facts
    }

    private static func gif(_ head: MediaFields) -> MediaFacts {
        var fields = head
        fields.isLittleEndian = true
        return MediaFacts(width: fields.number(6, 2), height: fields.number(8, 2))
    }

    /// Swaps width and height when the orientation rotates the picture by 90 degrees.
    mutating func turn() {
        guard let orientation, orientation >= 5 else { return }
        swap(&width, &height)
    }

    private mutating func removeImplausible() {
        if width ?? 0 <= 0 || height ?? 0 <= 0 || max(width ?? 0, height ?? 0) > 1 << 24 {
            (width, height) = (nil, nil)
        }
        if let duration, !(0...Int(Int32.max)).contains(duration) { self.duration = nil }
        if let orientation, !(1...8).contains(orientation) { self.orientation = nil }
        make = make.flatMap { $0.displayName(limit: 64) }
        model = model.flatMap { $0.displayName(limit: 64) }
    }
}
