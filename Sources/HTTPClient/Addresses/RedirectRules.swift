import Wire

/// What becomes of a request that is redirected.
///
/// Source: RFC 9110 §15.4.
struct RedirectRules {
    /// Fields that say nothing about who asks; only these go to another origin.
    private static let harmlessFields = [
        "Accept", "Accept-Encoding", "Accept-Language", "Range", "If-Range", "If-None-Match", "If-Modified-Since",
    ]

    /// Where `response` sends a request for `address`; nil if it is no redirect, or names no target.
    static func target(
        of status: HTTPStatus, _ headers: HTTPHeaders, from address: RequestAddress
    ) throws(TransportError) -> RequestAddress? {
        guard [301, 302, 303, 307, 308].contains(status.rawValue), let location = headers["Location"] else {
            return nil
        }
        let target = try address.resolving(location)
        guard address.scheme == "http" || target.scheme == "https" else {
            throw TransportError(
                .redirectRefused,
                "Did not follow the redirect of '\(address.origin)': it leads from https to http, where anyone "
                    + "could listen; tell the server's operator."
            )
        }
        return target
    }

    /// The request to send to `target` after `status`, without what another origin must not see.
    static func next(
        _ hop: Hop, after status: HTTPStatus, to target: RequestAddress
    ) throws(TransportError) -> Hop {
        var next = hop
        next.address = target
        if becomesGet(hop.method, status) {
            next.method = .get
            next.body = []
            for field in hop.headers where field.name.lowercased().hasPrefix("content-") {
                next.headers[field.name] = nil
            }
        }
        guard !hop.address.hasSameOrigin(as: target) else { return next }
        guard next.body.isEmpty else {
            throw TransportError(
                .redirectRefused,
                "Did not follow the redirect of '\(hop.address.origin)': it would send the request's body to "
                    + "'\(target.origin)'; ask that address yourself if you trust it."
            )
        }
        next.headers = HTTPHeaders(
            next.headers.filter { field in
                harmlessFields.contains { HTTPHeaders.namesAreEqual($0, field.name) }
            })
        (next.isAway, next.hasLeft) = (true, true)
        return next
    }

    private static func becomesGet(_ method: HTTPMethod, _ status: HTTPStatus) -> Bool {
        switch status.rawValue {
        case 303: method != .get && method != .head
        case 301, 302: method == .post
        default: false
        }
    }
}

/// One request of a chain of redirects.
struct Hop {
    var method: HTTPMethod
    var address: RequestAddress
    var headers: HTTPHeaders
    var body: [UInt8]
    /// Whether the chain has left the first origin: from then on it goes on without credentials, also if it returns.
    var isAway = false
    /// Whether redirects have led to another origin.
    var hasLeft = false
}

extension PartReception {
    /// Says that what comes is from where redirects led.
    mutating func redirect(from first: RequestAddress, to address: RequestAddress) {
        place = ResumePoint.place(of: address.url)
        takesPages = Self.name(first) == Self.name(address) && !Self.name(address).isEmpty
    }

    private static func name(_ address: RequestAddress) -> Substring {
        let bare = address.url.prefix { $0 != "?" }
        return bare.lastIndex(of: "/").map { bare[bare.index(after: $0)...] } ?? bare
    }
}
