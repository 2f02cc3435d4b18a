import HTTPClient

/// One file of a live photo's two: the JPEG, with a note in its XMP of the film that follows its end.
///
/// The photograph's own bytes stay as they are but for that one segment, and the film's altogether.
///
/// Source: Google, "Motion Photo format specification 1.0"; DL-6.
struct MotionPhoto: Sendable {
    /// Why there can be no such file.
    struct Impossible: Error {
        let sentence: String
    }

    private let still: DownloadPart
    private let film: DownloadPart
    /// What goes in, and in the place of which of the still's bytes; nil when the still is such a file already.
    private let change: (segment: [UInt8], place: Range<Int>)?

    /// Looks whether one file can be made of the two.
    ///
    /// - Throws: ``Impossible``; what reading throws.
    init(still: DownloadPart, film: DownloadPart) async throws {
        (self.still, self.film) = (still, film)
        let head: JPEGHead
        do {
            head = try await JPEGHead { try await still.bytes(at: $0, count: $1) }
        } catch is JPEGHead.NotJPEG {
            throw Impossible(sentence: "only a JPEG can be a motion photo.")
        }
        guard let old = head.packet else {
            let packet = MotionPhotoPacket.new(filmBytes: film.count, filmType: try await Self.type(of: film))
            change = (try Self.segment(packet), head.afterCamera..<head.afterCamera)
            return
        }
        if MotionPhotoPacket.saysMotion(old.text) {
            guard try await still.ends(with: film) else {
                throw Impossible(sentence: "the photograph holds another film already.")
            }
            change = nil
            return
        }
        let type = try await Self.type(of: film)
        guard let packet = MotionPhotoPacket.extending(old.text, filmBytes: film.count, filmType: type) else {
            throw Impossible(sentence: "what is noted in the photograph cannot be added to.")
        }
        change = (try Self.segment(packet), old.place)
    }

    /// Writes the file.
    func write(to part: DownloadPart) async throws {
        try part.empty()
        guard let change else { return try await part.append(0..<still.count, of: still) }
        try await part.append(0..<change.place.lowerBound, of: still)
        try await part.append(change.segment)
        try await part.append(change.place.upperBound..<still.count, of: still)
        try await part.append(0..<film.count, of: film)
    }

    private static func segment(_ packet: String) throws -> [UInt8] {
        guard let segment = JPEGHead.segment(ofPacket: packet) else {
            throw Impossible(sentence: "what is noted in the photograph leaves no room for the film.")
        }
        return segment
    }

    /// Source: ISO 14496-12 §4.3; QuickTime File Format, "The File Type Compatibility Atom".
    private static func type(of film: DownloadPart) async throws -> String {
        let head = try await film.bytes(at: 0, count: 12)
        return head.count == 12 && Array(head[4...]) == Array("ftypqt  ".utf8) ? "video/quicktime" : "video/mp4"
    }
}
