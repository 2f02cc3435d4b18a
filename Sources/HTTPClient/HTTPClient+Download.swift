import Wire

extension HTTPClient {
    /// Sends a request and streams the body of a success into a part, from where the part stands.
    ///
    /// With a resume point the rest alone is asked for. What comes is taken only if it is the same version of the same file
    /// from just there on; a whole answer, another version or a wrong range begins the part anew, in the same call. Bytes are
    /// asked for uncompressed; an answer that is compressed all the same is refused. When the transfer breaks off, the part
    /// keeps what has come.
    ///
    /// Where redirects are followed, the rest of a file is asked for at each address; from another place than before it is taken
    /// only under a strong entity tag. A web page that a redirect led to is somebody's sign-in page, and not taken, unless it is
    /// called as what was asked for.
    ///
    /// - Parameters:
    ///   - request: As for ``send(_:)``; mind that ``ClientRequest/timeout`` bounds the whole download, and that
    ///     ``ClientRequest/stallTimeout`` ends one that stands still.
    ///   - part: Where the bytes go.
    ///   - point: Up to where the part is good, and of what; nil begins anew.
    ///   - onBegin: Told what will come before its first byte is written, on the client's own thread: it must return at once.
    /// - Returns: The answer. With status 200 and 206 the part is whole, as far as the server told its length, and the body
    ///   here is empty; with any other the part is as it was.
    /// - Throws: As ``send(_:)``, and the codes of files.
    ///
    /// Source: RFC 9110 §14.2, §15.3.7 and §13.1.5.
    public func download(
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
                // Another version: from the beginning.
            }
        }
        return try await exchange(request, PartReception(part: part, point: nil, onBegin: onBegin))
    }

    /// Whether an answer may mean that the file has become shorter than what is there of it: the whole is asked for then.
    ///
    /// Some servers say 404 or 500 for that, with the `Content-Range` of a 416 or without; a 404 to a request for the rest is no
    /// proof that the file is gone.
    ///
    /// Source: RFC 9110 §15.5.17; contract of Immich, rule 19.
    private static func refusesRange(_ response: ClientResponse) -> Bool {
        switch response.status.rawValue {
        case 404, 410, 416: true
        case 200..<300: false
        default: response.headers["Content-Range"] != nil
        }
    }

    /// Sends a request and streams the body of a successful answer (2xx) to the file at `path`.
    ///
    /// The bytes go to a new file beside it, `PATH.RANDOM.part`, which is moved to `path` when all of them are on the disk. On
    /// failure or cancellation the part is removed, and the file at `path` stays as it was. When several downloads have the
    /// same path, the file of the last one to end remains. The body of any other status stays in memory, and no file is
    /// touched.
    ///
    /// - Parameters:
    ///   - request: As for ``send(_:)``; mind that ``ClientRequest/timeout`` bounds the whole download.
    ///   - path: The file to make or replace; its folder must be there.
    ///   - progress: Called after every piece on the client's own thread: it must return at once.
    /// - Returns: The answer, with an empty body if it went to the file.
    /// - Throws: As ``send(_:)``, and the codes of files.
    public func download(
        _ request: ClientRequest, to path: String, progress: (@Sendable (DownloadProgress) -> Void)? = nil
    ) async throws -> ClientResponse {
        let part = try DownloadPart(newBeside: path)
        do {
            let response = try await exchange(request, PartReception(part: part, point: nil, progress: progress))
            guard response.status == .ok else {
                part.remove()
                return response
            }
            try await part.publish(as: path, isReplacing: true)
            return response
        } catch {
            part.remove()
            throw error
        }
    }
}

/// Where the body of a success goes.
struct PartReception: Sendable {
    var part: DownloadPart
    /// What was asked from; nil for the whole.
    var point: ResumePoint?
    var onBegin: (@Sendable (ResumePoint) -> Void)?
    var progress: (@Sendable (DownloadProgress) -> Void)?
    /// The digest of where redirects led; nil without any.
    var place: String?
    /// Whether a web page may be the file.
    var takesPages = true

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
