import Wire

/// Takes a response apart as it comes, within its bounds.
struct ResponseReceiver {
    /// The most that a response's header may take, as many servers' own bound times sixteen.
    static let maximumHeaderBytes = 256 << 10
    /// The largest body in memory unless told.
    static let usualMaximumBodyBytes = 16 << 20

    private(set) var headers = HTTPHeaders()
    private(set) var body: [UInt8] = []
    /// Why the receiver ended the transfer, if it did.
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

    /// Takes one header line; false ends the transfer.
    ///
    /// A status line begins anew, as after `100 Continue`; trailers are dropped.
    mutating func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        headerBytes += line.count
        guard headerBytes <= Self.maximumHeaderBytes else {
            return refuse(
                .tooLarge,
                "Could not take the answer of '\(origin)': its header is larger than 256 KiB; tell the server's "
                    + "operator."
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

    /// Takes a piece of the body; false ends the transfer.
    mutating func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let isFirst = received == 0
        received += bytes.count
        let maximum = bound
        let announced = isFirst ? announcedBytes ?? 0 : 0
        guard received <= maximum, announced <= maximum else {
            return refuse(
                .tooLarge,
                "Could not take the answer of '\(origin)': its body is larger than the \(maximum) bytes that "
                    + "are allowed here; ask for less or allow more."
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

    /// Says that the body is whole: an empty one too is a file.
    mutating func complete() throws(TransportError) {
        guard let reception, goesToPart else { return }
        if !hasBegunPart { try begin(reception) }
        try reception.part.store()
        guard let total = reception.part.total, reception.part.count != total else { return }
        throw TransportError(
            .closedEarly,
            "Could not download from '\(origin)': \(reception.part.count) of \(total) bytes came; try again to go on.")
    }

    /// Writes what has come for a part; a failure is told with the next piece, or at the end.
    func store() {
        if hasBegunPart { try? reception?.part.store() }
    }

    /// Removes what a failed transfer leaves in memory; what came for a part stays in it.
    mutating func discard() {
        body = []
        store()
    }

    /// Whether what came without a type begins as a web page does.
    private var beginsAsPage = false

    /// Whether a web page came that is not the file; see ``PartReception/takesPages``.
    var isUntakenPage: Bool {
        guard let reception, !reception.takesPages, status == 200 || status == 206 else { return false }
        if beginsAsPage { return true }
        let type = (headers["Content-Type"] ?? "").prefix { $0 != ";" && $0 != " " }.lowercased()
        return type == "text/html" || type == "application/xhtml+xml"
    }

    private var goesToPart: Bool { reception != nil && (status == 200 || status == 206) && !isUntakenPage }

    private var bound: Int {
        maximumBodyBytes ?? (goesToPart ? Int.max : Self.usualMaximumBodyBytes)
    }

    private var announcedBytes: Int? { headers["Content-Length"].flatMap { Int($0) } }

    private mutating func store(_ bytes: UnsafeRawBufferPointer, announced: Int) throws(TransportError) {
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

    /// Decides from the header where the bytes belong.
    private mutating func begin(_ reception: PartReception) throws(TransportError) {
        if let coding = headers["Content-Encoding"], coding.lowercased() != "identity" {
            throw TransportError(
                .invalidResponse,
                "Could not download from '\(origin)': it sends compressed what was asked for as it is; tell its operator."
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
                    "Could not go on with the download from '\(origin)': the file there has changed; it begins anew.")
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
