import Crypto
import FoundationEssentials
import HTTPClient
import HTTPMessages
import Primitives

/// Decides which parts of a response may be stored, and for how long they are fresh. The rules are those of a minimal
/// private cache.
///
/// Source: RFC 9111 §3, §4.1, §4.2 and §5.2.
enum CacheRules {
    /// The maximum size of a stored body, in bytes.
    static let largestBody = 8 << 20

    /// Header fields that are never stored: they set cookies, or concern only one connection or one sign-in.
    private static let excludedFields = [
        "set-cookie", "set-cookie2", "authorization", "authentication-info", "proxy-authenticate",
        "proxy-authentication-info", "proxy-authorization", "www-authenticate", "connection", "keep-alive",
        "transfer-encoding", "te", "trailer", "upgrade", "content-length", "content-encoding", "clear-site-data",
    ]

    /// Returns what to store of the response to a `GET` request, or nil when it may not be stored.
    static func stored(_ response: ClientResponse, to request: HTTPHeaders, now: Date) -> StoredResponse? {
        let directives = directives(response.headers)
        let varies = vary(response.headers)
        guard response.status == .ok, directives["no-store"] == nil, !varies.contains("*"),
            response.body.count <= largestBody
        else { return nil }
        var stored = response
        stored.headers = HTTPHeaders(response.headers.filter { !excludedFields.contains($0.name.lowercased()) })
        return StoredResponse(
            varies: varies, variant: variant(varies, of: request), response: stored, date: now,
            freshUntil: now.addingTimeInterval(lifetime(response.headers, directives: directives, now: now)))
    }

    /// Returns a stored response, updated with the fields of a 304 response.
    static func renewed(_ stored: StoredResponse, by response: ClientResponse, now: Date) -> StoredResponse {
        var renewed = stored
        for name in Set(response.headers.map { $0.name.lowercased() }) where !excludedFields.contains(name) {
            renewed.response.headers[name] = nil
            for value in response.headers.values(name) { renewed.response.headers.append(name, value) }
        }
        renewed.date = now
        let headers = renewed.response.headers
        renewed.freshUntil = now.addingTimeInterval(lifetime(headers, directives: directives(headers), now: now))
        return renewed
    }

    /// Returns a hash of the request's values for the fields that a response depends on. `Authorization` is left out,
    /// because responses are stored per account.
    static func variant(_ varies: [String], of request: HTTPHeaders) -> String {
        let values = varies.filter { $0 != "authorization" }.map { request.values($0) }
        return SHA256.digest(JSON.encode(values)).hexadecimal
    }

    /// Returns the request fields that a response depends on.
    private static func vary(_ headers: HTTPHeaders) -> [String] {
        Set(list(headers.values("Vary")).map { $0.lowercased() }).sorted()
    }

    /// Returns for how many seconds a response is fresh: `max-age`, or else the time from `Date` to `Expires`, minus
    /// `Age`. Returns 0 when neither can be read, because it is always safe to ask the server again.
    ///
    /// Source: RFC 9111 §4.2.1 and §5.3.
    private static func lifetime(_ headers: HTTPHeaders, directives: [String: String], now: Date) -> TimeInterval {
        guard directives["no-cache"] == nil else { return 0 }
        let age = headers["Age"].flatMap { Int($0) }.map { max($0, 0) } ?? 0
        if let text = directives["max-age"] {
            return TimeInterval(max(min(Int(text) ?? 0, longest) - age, 0))
        }
        return TimeInterval(max(min(untilExpiry(headers, now), longest) - age, 0))
    }

    /// Returns the seconds from `Date` to `Expires`. Both are from the server's clock, which may differ from this
    /// device's. A missing `Date` counts as now. An invalid `Expires`, such as `0`, counts as expired. So do several
    /// fields, because it is unclear which one applies.
    private static func untilExpiry(_ headers: HTTPHeaders, _ now: Date) -> Int {
        let moment = Int(now.timeIntervalSince1970)
        let (ends, starts) = (headers.values("Expires"), headers.values("Date"))
        guard ends.count == 1, let end = HTTPDate(ends[0], now: moment) else { return 0 }
        return end.seconds - (starts.first.flatMap { HTTPDate($0, now: moment) }?.seconds ?? moment)
    }

    /// Returns the directives of `Cache-Control`, in lowercase. The first value of a repeated directive counts.
    /// `no-store` and `no-cache` apply whenever they are present.
    static func directives(_ headers: HTTPHeaders) -> [String: String] {
        var all: [String: String] = [:]
        for part in list(headers.values("Cache-Control")) {
            let pair = part.split(atByte: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = pair[0].lowercased()
            let value = pair.count > 1 ? pair[1].filter { $0 != "\"" } : ""
            all[name] = all[name] ?? String(value)
        }
        return all
    }

    private static func list(_ values: [String]) -> [String] {
        values.flatMap { $0.split(atByte: ",") }.map { String($0.trimmingBlanks) }.filter { !$0.isEmpty }
    }

    /// One year, in seconds.
    private static let longest = 31_536_000
}
