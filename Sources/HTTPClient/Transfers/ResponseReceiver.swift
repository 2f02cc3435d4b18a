import HTTPMessages

/// Receives a response piece by piece and enforces its limits.
struct ResponseReceiver {
    /// The maximum size of a response header in bytes: sixteen times the usual limit of servers.
    static let maximumHeaderBytes = 256 << 10
    /// The default maximum size of a body in memory, in bytes.
    static let usualMaximumBodyBytes = 16 << 20

    private(set) var headers = HTTPHeaders()
    private(set) var body: [UInt8] = []
    /// The error with which the receiver ended the transfer. Nil when it did not.
    private(set) var refusal: TransportError?

    private let origin: String
    private let reception: PartReception?
    private let maximumBodyBytes: Int?
    private var hasBegunPart = false
    private var status = 0
    private var headerBytes = 0
    private var isHeaderComplete = false
    private var received = 0

    init(_ plan: TransferPlan) {
        origin = plan.address.origin
        reception = plan.reception
        maximumBodyBytes = plan.maximumBodyBytes
    }

    /// Processes one header line. Returns false to end the transfer.
    ///
    /// A status line starts a new response, for example after `100 Continue`. Trailers are ignored.
    mutating func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        // Never reset, so that interim responses without end reach the limit too.
        headerBytes += line.count
        guard headerBytes <= Self.maximumHeaderBytes else {
            return refuse(
                .tooLarge,
                "Could not accept the response of '\(origin)': its header is larger than 256 KiB; report this to the "
                    + "server's operator."
            )
        }
        if line.starts(with: Self.statusLine) {
            status = Self.status(line)
            headers = HTTPHeaders()
            isHeaderComplete = false
        } else if line.allSatisfy({ $0 == 0x0D || $0 == 0x0A }) {
            isHeaderComplete = true
        } else if !isHeaderComplete, let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            headers.append(Self.trimmed(line[..<colon]), Self.trimmed(line[(colon + 1)...]))
        }
        return true
    }

    private static let statusLine = Array("HTTP/".utf8)

    private static func status(_ line: UnsafeRawBufferPointer) -> Int {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        return words.count > 1 ? Int(String(decoding: words[1].prefix(3), as: UTF8.self)) ?? 0 : 0
    }

    /// Processes a piece of the body. Returns false to end the transfer.
    mutating func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let isFirst = received == 0
        received += bytes.count
        let maximum = bound
        // An announced length above the limit is refused with the first piece, before the rest is transferred.
        let announced = isFirst ? announcedBytes ?? 0 : 0
        guard received <= maximum, announced <= maximum else {
            return refuse(
                .tooLarge,
                "Could not accept the response of '\(origin)': its body is larger than the limit of \(maximum) bytes; "
                    + "request less or raise the limit."
            )
        }
        do throws(TransportError) {
            try store(bytes, announced: announced)
        } catch {
            refusal = error
            return false
        }
        return true
    }

    /// Completes the body. An empty body also becomes a file.
    mutating func complete() throws(TransportError) {
        guard let reception, goesToPart else { return }
        if !hasBegunPart { try begin(reception) }
        try reception.part.store()
        guard let total = reception.part.total, reception.part.count != total else { return }
        throw TransportError(
            .closedEarly,
            "Could not download from '\(origin)': only \(reception.part.count) of \(total) bytes were received; "
                + "try again to continue.")
    }

    /// Writes the bytes that were received for a part. A failure is reported with the next piece or at the end.
    func store() {
        if hasBegunPart { try? reception?.part.store() }
    }

    /// Discards the body of a failed transfer in memory. Bytes that were received for a part are kept in it.
    mutating func discard() {
        body = []
        store()
    }

    /// Whether a body without a media type begins like a web page.
    private var beginsAsPage = false

    /// Whether the response is a web page that is not accepted as the file; see ``PartReception/acceptsPages``.
    var isRejectedPage: Bool {
        guard let reception, !reception.acceptsPages, status == 200 || status == 206 else { return false }
        if beginsAsPage { return true }
        let type = (headers["Content-Type"] ?? "").prefix { $0 != ";" && $0 != " " }.lowercased()
        return type == "text/html" || type == "application/xhtml+xml"
    }

    private var goesToPart: Bool { reception != nil && (status == 200 || status == 206) && !isRejectedPage }

    private var bound: Int {
        maximumBodyBytes ?? (goesToPart ? Int.max : Self.usualMaximumBodyBytes)
    }

    private var announcedBytes: Int? { headers["Content-Length"].flatMap { Int($0) } }

    private mutating func store(_ bytes: UnsafeRawBufferPointer, announced: Int) throws(TransportError) {
        // Without a media type, a recipient may examine the content (RFC 9110 §8.3).
        if !hasBegunPart, body.isEmpty, headers["Content-Type"] == nil {
            beginsAsPage = bytes.prefix(2).elementsEqual("<!".utf8) || bytes.prefix(5).elementsEqual("<html".utf8)
        }
        guard let reception, goesToPart else {
            if announced > 0 { body.reserveCapacity(announced) }
            body.append(contentsOf: bytes)
            return
        }
        if !hasBegunPart { try begin(reception) }
        try reception.part.append(bytes)
        reception.progress?(DownloadProgress(received: reception.part.count, total: reception.part.total))
    }

    /// Decides from the header fields where the bytes belong, and prepares the part.
    private mutating func begin(_ reception: PartReception) throws(TransportError) {
        if let coding = headers["Content-Encoding"], coding.lowercased() != "identity" {
            throw TransportError(
                .invalidResponse,
                "Could not download from '\(origin)': the server compresses the file although this was not requested; "
                    + "report this to its operator."
            )
        }
        hasBegunPart = true
        var offset = 0
        var total = announcedBytes
        if status == 206 {
            guard let point = reception.point, let range = headers["Content-Range"].flatMap(ContentRange.init),
                range.first == point.count, range.total == point.total ?? range.total,
                point.isSame(headers, at: reception.place)
            else {
                throw TransportError(
                    .rangeChanged,
                    "Could not continue the download from '\(origin)': the file there has changed; it starts over.")
            }
            (offset, total) = (range.first, range.total)
        }
        try reception.part.begin(at: offset, total: total)
        reception.onBegin?(ResumePoint(headers, total: total, at: reception.place))
    }

    private mutating func refuse(_ code: TransportError.Code, _ message: String) -> Bool {
        refusal = TransportError(code, message)
        return false
    }

    private static func trimmed(_ text: Slice<UnsafeRawBufferPointer>) -> String {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        var rest = text.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return String(decoding: rest, as: UTF8.self)
    }
}
