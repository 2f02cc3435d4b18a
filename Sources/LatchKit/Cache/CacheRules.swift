import Crypto
import FoundationEssentials

/// What of an answer may be kept, and how long it holds: a private cache, as small as one can be.
///
/// Source: RFC 9111 §3, §4.1, §4.2 and §5.2.
enum CacheRules {
    /// The largest body that is kept, in bytes.
    static let largestBody = 8 << 20

    /// Fields that never are kept: what sets cookies or speaks of one connection or one sign-in.
    private static let passing = [
        "set-cookie", "set-cookie2", "authorization", "authentication-info", "proxy-authenticate",
        "proxy-authentication-info", "proxy-authorization", "www-authenticate", "connection", "keep-alive",
        "transfer-encoding", "te", "trailer", "upgrade", "content-length", "content-encoding", "clear-site-data",
    ]

    /// What to keep of an answer to a `GET`; nil for nothing.
    static func stored(_ answer: ClientResponse, to request: HTTPHeaders, now: Date) -> StoredResponse? {
        let directives = directives(answer.headers)
        let varies = vary(answer.headers)
        guard answer.status == .ok, directives["no-store"] == nil, !varies.contains("*"),
            answer.body.count <= largestBody
        else { return nil }
        var kept = answer
        kept.headers = HTTPHeaders(answer.headers.filter { !passing.contains($0.name.lowercased()) })
        return StoredResponse(
            varies: varies, variant: variant(varies, of: request), answer: kept, date: now,
            freshUntil: now.addingTimeInterval(lifetime(answer.headers, directives, now)))
    }

    /// What an answer of 304 makes of what is kept.
    static func renewed(_ stored: StoredResponse, by answer: ClientResponse, now: Date) -> StoredResponse {
        var renewed = stored
        for name in Set(answer.headers.map { $0.name.lowercased() }) where !passing.contains(name) {
            renewed.answer.headers[name] = nil
            for value in answer.headers.values(name) { renewed.answer.headers.append(name, value) }
        }
        renewed.date = now
        let headers = renewed.answer.headers
        renewed.freshUntil = now.addingTimeInterval(lifetime(headers, directives(headers), now))
        return renewed
    }

    /// A hash of the values that a request has for the fields that an answer depends on. The account stands for
    /// `Authorization`, which is not among them.
    static func variant(_ varies: [String], of request: HTTPHeaders) -> String {
        let values = varies.filter { $0 != "authorization" }.map { request.values($0) }
        return SHA256.digest(JSON.encode(values)).hexadecimal
    }

    /// The request fields that an answer depends on.
    private static func vary(_ headers: HTTPHeaders) -> [String] {
        Set(list(headers.values("Vary")).map { $0.lowercased() }).sorted()
    }

    /// How long an answer holds without asking: by `max-age`, or else from `Date` to `Expires`, less its `Age`. Where neither
    /// can be read it does not hold at all: asking once more is always right.
    ///
    /// Source: RFC 9111 §4.2.1 and §5.3.
    private static func lifetime(_ headers: HTTPHeaders, _ directives: [String: String], _ now: Date) -> TimeInterval {
        guard directives["no-cache"] == nil else { return 0 }
        let age = headers["Age"].flatMap { Int($0) }.map { max($0, 0) } ?? 0
        if let text = directives["max-age"] {
            return TimeInterval(max(min(Int(text) ?? 0, longest) - age, 0))
        }
        return TimeInterval(max(min(untilExpiry(headers, now), longest) - age, 0))
    }

    /// Both ends by the server's own clock, which may be another than this machine's; without a `Date` from now on. A date
    /// that is none, such as `0`, lies in the past, and of two nobody knows which counts.
    private static func untilExpiry(_ headers: HTTPHeaders, _ now: Date) -> Int {
        let moment = Int(now.timeIntervalSince1970)
        let (ends, starts) = (headers.values("Expires"), headers.values("Date"))
        guard ends.count == 1, let end = HTTPDate(ends[0], now: moment) else { return 0 }
        return end.seconds - (starts.first.flatMap { HTTPDate($0, now: moment) }?.seconds ?? moment)
    }

    /// The directives of `Cache-Control` in small letters; one given twice counts the first time, unless it forbids.
    static func directives(_ headers: HTTPHeaders) -> [String: String] {
        var all: [String: String] = [:]
        for part in list(headers.values("Cache-Control")) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = pair[0].lowercased()
            let value = pair.count > 1 ? pair[1].filter { $0 != "\"" } : ""
            all[name] = all[name] ?? String(value)
        }
        return all
    }

    private static func list(_ values: [String]) -> [String] {
        values.flatMap { $0.split(separator: ",") }.map { part in
            String(part.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
        }.filter { !$0.isEmpty }
    }

    /// A year, in seconds.
    private static let longest = 31_536_000
}
