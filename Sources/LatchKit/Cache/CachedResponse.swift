public import FoundationEssentials

/// An answer that may have been kept on this device, and how it came.
public struct CachedResponse: Sendable {
    /// Where an answer came from.
    public enum Origin: Sendable {
        /// From the server, just now.
        case server
        /// From this device; the server was asked and says that it still holds.
        case revalidated
        /// From this device; by the server's own word it holds without asking.
        case fresh
        /// From this device; the server was asked and cannot be reached, for this reason.
        case stale(LatchError)
    }

    /// The answer.
    public var answer: ClientResponse
    /// Where it came from.
    public var origin: Origin
    /// When the server gave it, or said last that it holds.
    public var date: Date
}

/// An answer as it is kept.
struct StoredResponse: Sendable {
    /// Names of request fields that the answer depends on, in small letters, sorted.
    var varies: [String]
    /// A hash of those fields' values.
    var variant: String
    var answer: ClientResponse
    var date: Date
    /// Until when it holds without asking.
    var freshUntil: Date

    /// What asks the server whether it still holds.
    var conditions: HTTPHeaders {
        var headers: HTTPHeaders = [:]
        if let tag = answer.headers["ETag"] { headers["If-None-Match"] = tag }
        if let date = answer.headers["Last-Modified"] { headers["If-Modified-Since"] = date }
        return headers
    }
}
