import CCurl
import Crypto
import FoundationEssentials
import Wire

/// Which bytes a part holds, and of which version of the file: what must be known to go on with it later.
///
/// Source: RFC 9110 §8.8, §13.1.5 and §14.
public struct ResumePoint: Sendable, Hashable, Codable {
    /// How many bytes of the part are good.
    public var count: Int
    /// How long the file is, where the server told.
    public var total: Int?
    /// The file's entity tag, weak or strong, as the server wrote it.
    public var entityTag: String?
    /// The file's `Last-Modified`, as the server wrote it.
    public var lastModified: String?
    /// Whether `lastModified` is a strong validator, and is needed because there is no strong entity tag: the file was old
    /// enough when it was sent that no other version can have the same time.
    public var isTimeStrong: Bool
    /// A digest of the place that redirects led to, its query left out; nil without redirects.
    public var place: String?

    /// Makes a point; without a strong entity tag or a strong time the download cannot be resumed.
    public init(
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

    /// What the header of an answer says of its file.
    init(_ headers: HTTPHeaders, total: Int?, at place: String?) {
        let (tag, modified) = (headers["ETag"], headers["Last-Modified"])
        // Beside a strong tag the time is never used, and parsing two dates takes long compared with a small file.
        self.init(
            total: total, entityTag: tag, lastModified: modified,
            isTimeStrong: !Self.isStrong(tag) && Self.isStrong(modified, at: headers["Date"]), place: place)
    }

    /// Whether it identifies one version of the file: by a strong entity tag, or by a strong time.
    ///
    /// Source: RFC 9110 §15.3.7.3: parts are combined only when they share one strong validator.
    public var tellsVersion: Bool { Self.isStrong(entityTag) || isTimeStrong && lastModified != nil }

    /// Whether a request for the rest can be made at all.
    public var canResume: Bool { count > 0 && tellsVersion && total.map { count < $0 } ?? true }

    /// The value of `If-Range`; nil when it may not be sent. Beside a weak entity tag it may not be sent, even if the time is
    /// strong; the answer is compared instead.
    ///
    /// Source: RFC 9110 §13.1.5: neither a weak entity tag nor a time beside a tag.
    var condition: String? {
        if let entityTag { return Self.isStrong(entityTag) ? entityTag : nil }
        return isTimeStrong ? lastModified : nil
    }

    /// The digest of a place.
    static func place(of url: String) -> String {
        String(SHA256.digest(String(url.prefix { $0 != "?" })).hexadecimal.prefix(16))
    }

    /// Whether an answer from a place is about the same version of the file. Two places may both have a file of one second; only
    /// a strong entity tag says that it is one file.
    ///
    /// Source: RFC 9110 §8.8.3.2, the strong comparison; §15.3.7: an answer to `If-Range` may omit `Last-Modified`.
    func isSame(_ headers: HTTPHeaders, at place: String?) -> Bool {
        let (tag, modified) = (headers["ETag"], headers["Last-Modified"])
        if Self.isStrong(entityTag) { return tag == entityTag && (modified ?? lastModified) == lastModified }
        guard place == self.place, isTimeStrong, let lastModified, modified == lastModified else { return false }
        return tag.map(Self.opaque) == entityTag.map(Self.opaque)
    }

    static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }

    private static func isStrong(_ tag: String?) -> Bool { tag.map { !$0.hasPrefix("W/") } ?? false }

    /// How many seconds a file must be older than the answer that delivers it. The clock of the file system may differ from the
    /// server's, and some file systems store times with a resolution of two seconds.
    private static let strongAge = 60

    /// Source: RFC 9110 §8.8.2.2, which does not fix the difference; RFC 7232 §2.2.2 has 60 seconds.
    private static func isStrong(_ modified: String?, at date: String?) -> Bool {
        guard let modified, let date else { return false }
        let (then, now) = (curl_getdate(modified, nil), curl_getdate(date, nil))
        return then >= 0 && now >= 0 && then + strongAge <= now
    }
}

/// The parts of a file that an answer holds.
///
/// Source: RFC 9110 §14.4.
struct ContentRange: Equatable {
    var first: Int
    var last: Int
    var total: Int

    /// Reads `bytes 100-199/200`; nil for another unit, an unknown length and anything malformed.
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
