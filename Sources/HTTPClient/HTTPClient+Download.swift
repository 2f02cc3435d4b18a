import HTTPMessages

extension HTTPClient {
    /// Sends a request and streams the body of a successful response into a part, after the bytes that the part already
    /// holds.
    ///
    /// With a resume point, only the rest is requested. The bytes are accepted only if they continue the same version
    /// of the same file. When the server sends the whole file, another version or a wrong range, the part is restarted
    /// in the same call. The body is requested without compression, and a compressed response is refused. When the
    /// transfer breaks off, the part keeps the bytes that were received.
    ///
    /// When redirects are followed, the rest of a file is requested at each address. From another address than before,
    /// it is accepted only with a strong entity tag. A web page to which a redirect led is usually a sign-in page. It
    /// is not accepted, unless it has the same file name as the request.
    ///
    /// - Parameters:
    ///   - request: The request, as for ``send(_:)``. Note that ``ClientRequest/timeout`` limits the whole download,
    ///     and that ``ClientRequest/stallTimeout`` ends a download that makes no progress.
    ///   - part: The part to which the bytes are written.
    ///   - point: The bytes that the part holds, and the version of their file. Nil starts from the beginning.
    ///   - onBegin: Called before the first byte is written, with the version of the file. It runs on the client's own
    ///     thread and must return at once.
    /// - Returns: The response. With status 200 or 206, the part is complete, as far as the server announced the
    ///   length, and the body is empty. With any other status, the part is unchanged.
    /// - Throws: The errors of ``send(_:)``, and errors with the codes for files.
    ///
    /// Source: RFC 9110 §14.2, §15.3.7 and §13.1.5.
    package func download(
        _ request: ClientRequest, into part: DownloadPart, from point: ResumePoint? = nil,
        onBegin: (@Sendable (ResumePoint) -> Void)? = nil
    ) async throws -> ClientResponse {
        if let point, point.canResume, point.count <= part.count {
            var rest = request
            rest.headers["Range"] = "bytes=\(point.count)-"
            if let condition = point.condition { rest.headers["If-Range"] = condition }
            do {
                let reception = PartReception(part: part, point: point, onBegin: onBegin)
                let response = try await exchange(rest, reception)
                if !Self.refusesRange(response) { return response }
            } catch let error as TransportError where error.code == .rangeChanged {
                // Another version: starts from the beginning.
            }
        }
        return try await exchange(request, PartReception(part: part, point: nil, onBegin: onBegin))
    }

    /// Returns whether a response may mean that the file is now shorter than the part. The whole file is then
    /// requested.
    ///
    /// Some servers respond with 404 or 500 in that case, with the `Content-Range` of a 416 or without. A 404 to a
    /// request for the rest therefore does not prove that the file was removed.
    ///
    /// Source: RFC 9110 §15.5.17; docs/protocols/immich.md, Files.
    private static func refusesRange(_ response: ClientResponse) -> Bool {
        switch response.status.rawValue {
        case 404, 410, 416: true
        case 200..<300: false
        default: response.headers["Content-Range"] != nil
        }
    }

    /// Sends a request and streams the body of a successful response (200) to the file at `path`.
    ///
    /// The bytes are written to a new file next to it, `PATH.RANDOM.part`, which is moved to `path` when all bytes are
    /// on the disk. On failure or cancellation, the part is removed and the file at `path` is unchanged. When several
    /// downloads have the same path, the file of the last one to end remains. The body of any other status stays in
    /// memory, and no file is changed.
    ///
    /// - Parameters:
    ///   - request: The request, as for ``send(_:)``. Note that ``ClientRequest/timeout`` limits the whole download.
    ///   - path: The file to create or replace. Its folder must exist.
    ///   - progress: Called after every piece on the client's own thread. It must return at once.
    /// - Returns: The response, with an empty body if the body was written to the file.
    /// - Throws: The errors of ``send(_:)``, and errors with the codes for files.
    package func download(
        _ request: ClientRequest, to path: String, progress: (@Sendable (DownloadProgress) -> Void)? = nil
    ) async throws -> ClientResponse {
        let part = try DownloadPart(newBeside: path)
        do {
            let response = try await exchange(request, PartReception(part: part, point: nil, progress: progress))
            guard response.status == .ok else {
                part.remove()
                return response
            }
            try await part.publish(as: path, replacesExisting: true)
            return response
        } catch {
            part.remove()
            throw error
        }
    }
}

/// The destination of the body of a successful response.
struct PartReception: Sendable {
    var part: DownloadPart
    /// The point from which the body was requested. Nil for the whole file.
    var point: ResumePoint?
    var onBegin: (@Sendable (ResumePoint) -> Void)?
    var progress: (@Sendable (DownloadProgress) -> Void)?
    /// The digest of the address to which redirects led. Nil without redirects.
    var place: String?
    /// Whether a web page is accepted as the file.
    var acceptsPages = true

    init(
        part: DownloadPart, point: ResumePoint?, onBegin: (@Sendable (ResumePoint) -> Void)? = nil,
        progress: (@Sendable (DownloadProgress) -> Void)? = nil
    ) {
        self.part = part
        self.point = point
        self.onBegin = onBegin
        self.progress = progress
    }
}
