public import Wire

extension ResumePoint {
    /// The fields of a request that asks whether the file is another by now.
    ///
    /// Source: RFC 9110 §13.1.2 and §13.1.3.
    public var conditions: HTTPHeaders {
        // What is compared must not be that of a compressed form.
        var headers: HTTPHeaders = ["Accept-Encoding": "identity"]
        if let entityTag {
            headers["If-None-Match"] = entityTag
        } else if let lastModified {
            headers["If-Modified-Since"] = lastModified
        }
        return headers
    }

    /// Whether the file is another by now, as far as the answer to such a request tells; nil where it does not.
    ///
    /// Two mirrors may give one file different entity tags: there the time and the length say whether it is one.
    public func isChanged(by answer: ClientResponse) -> Bool? {
        if answer.status == .notModified { return false }
        guard answer.status == .ok else { return nil }
        // Some answer HEAD with a length of nothing.
        let length = answer.headers["Content-Length"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        let isOtherLength = total.flatMap { total in length.map { $0 != total } }
        let isOtherTime = lastModified.flatMap { time in answer.headers["Last-Modified"].map { $0 != time } }
        if let entityTag, let other = answer.headers["ETag"] {
            if Self.opaque(entityTag) == Self.opaque(other) { return false }
            let answered = answer.redirection == nil ? nil : Self.place(of: answer.url)
            if answered == place || isOtherLength == true { return true }
            return isOtherTime
        }
        if isOtherLength == true { return true }
        return isOtherTime
    }
}
