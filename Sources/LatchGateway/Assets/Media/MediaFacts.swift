import FoundationEssentials
import Primitives

/// What a photograph or a film says of itself: each field nil where it says nothing, or nothing that can be understood.
struct MediaFacts: Sendable, Equatable {
    /// The width in pixels, as it is to be seen: after turning.
    var width: Int?
    /// The height in pixels, as it is to be seen.
    var height: Int?
    /// When it was taken.
    var taken: MediaTime?
    /// How long it plays, in milliseconds.
    var duration: Int?
    /// The camera's maker.
    var make: String?
    /// The camera's model.
    var model: String?
    /// How it is to be turned and mirrored, 1 to 8.
    var orientation: Int?

    /// Reads the facts out of a file, whatever its name says; bytes that are nothing known give no facts.
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
        facts.keepPlausible()
        return facts
    }

    private static func gif(_ head: MediaFields) -> MediaFacts {
        var fields = head
        fields.isLittleEndian = true
        return MediaFacts(width: fields.number(6, 2), height: fields.number(8, 2))
    }

    /// Turns the size where the picture is to be turned by a quarter.
    mutating func turn() {
        guard let orientation, orientation >= 5 else { return }
        swap(&width, &height)
    }

    private mutating func keepPlausible() {
        if width ?? 0 <= 0 || height ?? 0 <= 0 || max(width ?? 0, height ?? 0) > 1 << 24 {
            (width, height) = (nil, nil)
        }
        if let duration, !(0...Int(Int32.max)).contains(duration) { self.duration = nil }
        if let orientation, !(1...8).contains(orientation) { self.orientation = nil }
        make = make.flatMap { $0.displayName(limit: 64) }
        model = model.flatMap { $0.displayName(limit: 64) }
    }
}
