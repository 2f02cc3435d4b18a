import CLibrary
package import HTTPMessages

extension ServedFile {
    /// Returns the response to a request for the file: the whole file, one range, 304, 412 or 416.
    ///
    /// `ETag`, `Last-Modified` and `Accept-Ranges` are added. A request for several ranges gets the whole file.
    /// `If-Range` is compared strongly. A weak tag that another server sent for the same file therefore never matches,
    /// and the client restarts its download. The response to `HEAD` is that to `GET` without `Range`.
    ///
    /// - Parameters:
    ///   - request: The request. Its method determines the meaning of the conditions.
    ///   - mediaType: The media type of the file.
    ///   - headers: Additional header fields: `Cache-Control`, `Content-Disposition`, `Vary`. Those that describe the
    ///     content are sent only with 200 and 206.
    /// - Returns: The response. 304, 412 and 416 have no body; a caller with an error envelope adds it.
    ///
    /// Source: RFC 9110 §13.2.2, §14.2 to §14.4, §15.3.7, §15.4.5, §15.5.13 and §15.5.17.
    package func response(
        to request: ServerRequest, mediaType: String, headers: HTTPHeaders = [:]
    ) -> ServerResponse {
        let lastModified = HTTPDate(seconds: Int(modified.components.seconds))
        let conditions = Preconditions(
            method: request.method, headers: request.headers, tag: tag, modified: lastModified, now: time(nil))
        switch conditions.outcome {
        case .failed: return ServerResponse(status: .preconditionFailed, headers: Self.withoutContent(headers))
        case .notModified:
            // The file is not sent, only its length.
            return ServerResponse(
                status: .notModified, headers: validators(Self.withoutContent(headers), lastModified),
                body: .file(FileRegion(file, count: size)))
        case .proceed: break
        }
        var fields = validators(headers, lastModified)
        fields["Accept-Ranges"] = "bytes"
        switch conditions.range?.resolved(size) ?? .whole {
        case .whole:
            fields["Content-Type"] = mediaType
            return ServerResponse(headers: fields, body: .file(FileRegion(file, count: size)))
        case .part(let range):
            fields["Content-Type"] = mediaType
            fields["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
            return ServerResponse(
                status: .partialContent, headers: fields,
                body: .file(FileRegion(file, offset: range.lowerBound, count: range.count)))
        case .unsatisfiable:
            var refused = Self.withoutContent(headers)
            refused["Accept-Ranges"] = "bytes"
            refused["Content-Range"] = "bytes */\(size)"
            return ServerResponse(status: .rangeNotSatisfiable, headers: refused)
        }
    }

    private var tag: EntityTag {
        EntityTag(isWeak: false, opaque: String(entityTag.dropFirst().dropLast()))
    }

    private func validators(_ headers: HTTPHeaders, _ lastModified: HTTPDate) -> HTTPHeaders {
        var fields = headers
        fields["ETag"] = entityTag
        fields["Last-Modified"] = lastModified.text
        return fields
    }

    private static func withoutContent(_ headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(
            headers.fields.filter { field in
                !["content-type", "content-disposition", "content-encoding", "content-language"]
                    .contains { HTTPHeaders.namesAreEqual(field.name, $0) }
            })
    }
}
