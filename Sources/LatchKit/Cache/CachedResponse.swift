public import FoundationEssentials
import HTTPClient
import HTTPMessages

/// A response that may come from the cache of this device, and its origin.
public struct CachedResponse: Sendable {
    /// The origin of a response.
    public enum Origin: Sendable {
        /// The server has just sent the response.
        case server
        /// The response was stored, and the server has just confirmed that it is still valid.
        case revalidated
        /// The response was stored and is still fresh. The server was not contacted.
        case fresh
        /// The response was stored and may be outdated. The server was asked, but the request failed with the error.
        case stale(LatchError)
    }

    /// The response.
    public var response: ClientResponse
    /// The origin of the response.
    public var origin: Origin
    /// When the server sent the response or last confirmed it.
    public var date: Date
}

/// A response as stored in the cache.
struct StoredResponse: Sendable {
    /// The names of the request fields that the response depends on, in lowercase and sorted.
    var varies: [String]
    /// A hash of the values of those fields.
    var variant: String
    var response: ClientResponse
    var date: Date
    /// When the response stops being fresh. Until then it is used without asking the server.
    var freshUntil: Date

    /// The header fields of a request that asks the server whether the response is still valid.
    var conditions: HTTPHeaders {
        var headers: HTTPHeaders = [:]
        if let tag = response.headers["ETag"] { headers["If-None-Match"] = tag }
        if let date = response.headers["Last-Modified"] { headers["If-Modified-Since"] = date }
        return headers
    }
}
