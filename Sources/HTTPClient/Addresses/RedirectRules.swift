import HTTPMessages

/// The rules for following redirects.
///
/// Source: RFC 9110 §15.4.
struct RedirectRules {
    /// Header fields that reveal nothing about the client. Only these are sent to another origin.
    private static let harmlessFields = [
        "Accept", "Accept-Encoding", "Accept-Language", "Range", "If-Range", "If-None-Match", "If-Modified-Since",
    ]

    /// Whether a status leads to another address.
    static func isRedirect(_ status: HTTPStatus) -> Bool { [301, 302, 303, 307, 308].contains(status.rawValue) }

    /// Returns the target of a redirect, or nil when the response has no `Location`.
    ///
    /// - Throws: ``TransportError`` for a target that cannot be used, or that leads from `https` to `http`.
    static func target(
        of headers: HTTPHeaders, from address: RequestAddress
    ) throws(TransportError) -> RequestAddress? {
        guard let location = headers["Location"] else { return nil }
        let target = try address.resolving(location)
        guard address.scheme == "http" || target.scheme == "https" else {
            throw TransportError(
                .redirectRefused,
                "Did not follow the redirect of '\(address.origin)': it leads from https to http, where others "
                    + "could read the data; report this to the server's operator."
            )
        }
        return target
    }

    /// Returns the request to send to `target` after `status`, without anything that another origin must not receive.
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
                    + "'\(target.origin)'; send the request to that address directly if you trust it."
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
    /// Whether the chain has left the first origin. The rest of the chain is then sent without credentials, even if it
    /// returns to the first origin.
    var isAway = false
    /// Whether a redirect led to another origin.
    var hasLeft = false
}

extension PartReception {
    /// Records that the body comes from an address to which redirects led.
    mutating func redirect(from first: RequestAddress, to address: RequestAddress) {
        place = ResumePoint.place(of: address.url)
        acceptsPages = Self.name(first) == Self.name(address) && !Self.name(address).isEmpty
    }

    private static func name(_ address: RequestAddress) -> Substring {
        let bare = address.url.prefix { $0 != "?" }
        return bare.lastIndex(of: "/").map { bare[bare.index(after: $0)...] } ?? bare
    }
}
