package import HTTPMessages

extension ResumePoint {
    /// The header fields of a request that checks whether the file has changed.
    ///
    /// Source: RFC 9110 §13.1.2 and §13.1.3.
    package var conditions: HTTPHeaders {
        // The compared values must not be those of a compressed form.
        var headers: HTTPHeaders = ["Accept-Encoding": "identity"]
        if let entityTag {
            headers["If-None-Match"] = entityTag
        } else if let lastModified {
            headers["If-Modified-Since"] = lastModified
        }
        return headers
    }

    /// Returns whether the file has changed, according to the response to a request with ``conditions``. Nil when the
    /// response does not tell.
    ///
    /// Two mirrors may give the same file different entity tags. In that case, time and length are compared.
    package func isChanged(by response: ClientResponse) -> Bool? {
        if response.status == .notModified { return false }
        guard response.status == .ok else { return nil }
        // Some servers send a length of 0 in response to HEAD.
        let length = response.headers["Content-Length"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        let isOtherLength = total.flatMap { total in length.map { $0 != total } }
        let isOtherTime = lastModified.flatMap { time in response.headers["Last-Modified"].map { $0 != time } }
        if let entityTag, let other = response.headers["ETag"] {
            if Self.opaque(entityTag) == Self.opaque(other) { return false }
            let answered = response.redirection == nil ? nil : Self.place(of: response.url)
            if answered == place || isOtherLength == true { return true }
            return isOtherTime
        }
        if isOtherLength == true { return true }
        return isOtherTime
    }
}
