import Crypto
import FoundationEssentials
import HTTPMessages

/// The bytes that a part holds and the version of their file: the state that is needed to resume a download.
///
/// Source: RFC 9110 §8.8, §13.1.5 and §14.
package struct ResumePoint: Sendable, Hashable, Codable {
    /// The number of valid bytes in the part.
    package var count: Int
    /// The size of the file in bytes. Nil when the server did not announce it.
    package var total: Int?
    /// The entity tag of the file, weak or strong, as sent by the server.
    package var entityTag: String?
    /// The `Last-Modified` of the file, as sent by the server.
    package var lastModified: String?
    /// Whether `lastModified` is a strong validator and is needed because there is no strong entity tag. It is strong
    /// when the file was old enough at the time of the response that no other version can have the same time.
    package var isTimeStrong: Bool
    /// A digest of the address to which redirects led, without its query. Nil without redirects.
    package var place: String?

    /// Creates a resume point. Without a strong entity tag or a strong time, the download cannot be resumed.
    package init(
        count: Int = 0, total: Int? = nil, entityTag: String? = nil, lastModified: String? = nil,
        isTimeStrong: Bool = false, place: String? = nil
    ) {
        self.count = count
        self.total = total
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.isTimeStrong = isTimeStrong
        self.place = place
    }

    /// Creates a resume point from the header fields of a response.
    init(_ headers: HTTPHeaders, total: Int?, at place: String?) {
        let (tag, modified) = (headers["ETag"], headers["Last-Modified"])
        // With a strong entity tag, the time is never used. Parsing two dates takes long compared with transferring a
        // small file.
        self.init(
            total: total, entityTag: tag, lastModified: modified,
            isTimeStrong: !Self.isStrong(tag) && Self.isStrong(modified, at: headers["Date"]), place: place)
    }

    /// Whether the point identifies one version of the file, by a strong entity tag or a strong time.
    ///
    /// Source: RFC 9110 §15.3.7.3: parts are combined only when they share one strong validator.
    package var identifiesVersion: Bool { Self.isStrong(entityTag) || isTimeStrong && lastModified != nil }

    /// Whether the rest of the file can be requested.
    package var canResume: Bool { count > 0 && identifiesVersion && total.map { count < $0 } ?? true }

    /// The value of `If-Range`, or nil when the field must not be sent. It must not be sent with a weak entity tag,
    /// even if the time is strong. The response is compared instead.
    ///
    /// Source: RFC 9110 §13.1.5: neither a weak entity tag nor a time next to a tag.
    var condition: String? {
        if let entityTag { return Self.isStrong(entityTag) ? entityTag : nil }
        return isTimeStrong ? lastModified : nil
    }

    /// Returns the digest of an address, without its query.
    static func place(of url: String) -> String {
        String(SHA256.digest(String(url.prefix { $0 != "?" })).hexadecimal.prefix(16))
    }

    /// Returns whether a response from an address is about the same version of the file. Two addresses may both have a
    /// file with the same time, so only a strong entity tag identifies the same file at another address.
    ///
    /// Source: RFC 9110 §8.8.3.2, the strong comparison; §15.3.7: a response to `If-Range` may omit `Last-Modified`.
    func isSame(_ headers: HTTPHeaders, at place: String?) -> Bool {
        let (tag, modified) = (headers["ETag"], headers["Last-Modified"])
        if Self.isStrong(entityTag) { return tag == entityTag && (modified ?? lastModified) == lastModified }
        guard place == self.place, isTimeStrong, let lastModified, modified == lastModified else { return false }
        return tag.map(Self.opaque) == entityTag.map(Self.opaque)
    }

    static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }

    private static func isStrong(_ tag: String?) -> Bool { tag.map { !$0.hasPrefix("W/") } ?? false }

    /// The minimum age of a file at the time of the response, in seconds, for a strong time. The clock of the file
    /// system may differ from the server's, and some file systems store times with a resolution of two seconds.
    private static let strongAge = 60

    /// Returns whether a modification time is a strong validator.
    ///
    /// Source: RFC 9110 §8.8.2.2, which does not fix the difference; RFC 7232 §2.2.2 has 60 seconds.
    private static func isStrong(_ modified: String?, at date: String?) -> Bool {
        guard let modified, let date, let then = FieldDate.seconds(modified), let now = FieldDate.seconds(date) else {
            return false
        }
        return then + strongAge <= now
    }
}

/// The range of a file that a response contains.
///
/// Source: RFC 9110 §14.4.
struct ContentRange: Equatable {
    var first: Int
    var last: Int
    var total: Int

    /// Parses `bytes 100-199/200`. Returns nil for another unit, an unknown length or malformed text.
    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
            let total = Self.number(halves[1]), first <= last, last < total
        else { return nil }
        (self.first, self.last, self.total) = (first, last, total)
    }

    private static func number(_ text: Substring) -> Int? {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}
