import HTTPClient

/// A live photo as one file: the JPEG, with an XMP entry about the video that is appended to it.
///
/// The photograph's own bytes are kept except for that one segment, and the video's bytes are kept completely.
///
/// Source: Google, "Motion Photo format specification 1.0"; DL-6.
struct MotionPhoto: Sendable {
    /// The reason why the two files cannot be joined.
    struct ConversionError: Error {
        let sentence: String
    }

    private let still: DownloadPart
    private let video: DownloadPart
    /// The segment to insert, and the range of the still image that it replaces. Nil when the still image already
    /// contains the video.
    private let change: (segment: [UInt8], place: Range<Int>)?

    /// Checks whether the two files can be joined.
    ///
    /// - Throws: ``ConversionError``; errors of reading.
    init(still: DownloadPart, video: DownloadPart) async throws {
        (self.still, self.video) = (still, video)
        let head: JPEGHead
        do {
            head = try await JPEGHead { try await still.bytes(at: $0, count: $1) }
        } catch is JPEGHead.NotJPEG {
            throw ConversionError(sentence: "only a JPEG can be a motion photo.")
        }
        guard let old = head.packet else {
            let packet = MotionPhotoPacket.new(filmBytes: video.count, filmType: try await Self.type(of: video))
            change = (try Self.segment(packet), head.afterCamera..<head.afterCamera)
            return
        }
        if MotionPhotoPacket.isMotionPhoto(old.text) {
            guard try await still.ends(with: video) else {
                throw ConversionError(sentence: "the photo already contains another video.")
            }
            change = nil
            return
        }
        let type = try await Self.type(of: video)
        guard let packet = MotionPhotoPacket.extending(old.text, filmBytes: video.count, filmType: type) else {
            throw ConversionError(sentence: "the XMP metadata of the photo cannot be extended.")
        }
        change = (try Self.segment(packet), old.place)
    }

    /// Writes the joined file.
    func write(to part: DownloadPart) async throws {
        try part.empty()
        guard let change else { return try await part.append(0..<still.count, of: still) }
        try await part.append(0..<change.place.lowerBound, of: still)
        try await part.append(change.segment)
        try await part.append(change.place.upperBound..<still.count, of: still)
        try await part.append(0..<video.count, of: video)
    }

    private static func segment(_ packet: String) throws -> [UInt8] {
        guard let segment = JPEGHead.segment(ofPacket: packet) else {
            throw ConversionError(sentence: "the XMP metadata of the photo has no space for the video.")
        }
        return segment
    }

    /// Source: ISO 14496-12 §4.3; QuickTime File Format, "The File Type Compatibility Atom".
    private static func type(of video: DownloadPart) async throws -> String {
        let head = try await video.bytes(at: 0, count: 12)
        return head.count == 12 && Array(head[4...]) == Array("ftypqt  ".utf8) ? "video/quicktime" : "video/mp4"
    }
}
