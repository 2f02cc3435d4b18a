import Wire

/// Takes a response apart as it comes, within its bounds.
struct ResponseReceiver {
    /// The most that a response's header may take, as many servers' own bound times sixteen.
    static let maximumHeaderBytes = 256 << 10
    /// The largest body in memory unless told.
    static let usualMaximumBodyBytes = 16 << 20

    private(set) var headers = HTTPHeaders()
    private(set) var body: [UInt8] = []
    private(set) var file: PartialFile?
    /// Why the receiver ended the transfer, if it did.
    private(set) var refusal: TransportError?

    private let origin: String
    private let destination: String?
    private let maximumBodyBytes: Int?
    private let progress: (@Sendable (DownloadProgress) -> Void)?
    private var status = 0
    private var headerBytes = 0
    private var isHeaderComplete = false
    private var received = 0

    init(_ plan: TransferPlan) {
        origin = plan.address.origin
        destination = plan.destination
        maximumBodyBytes = plan.maximumBodyBytes
        progress = plan.progress
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
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            status = text.split(separator: " ").dropFirst().first.flatMap { Int($0.prefix(3)) } ?? 0
            headers = HTTPHeaders()
            isHeaderComplete = false
        } else if text.allSatisfy(\.isNewline) {
            isHeaderComplete = true
        } else if !isHeaderComplete, let colon = text.firstIndex(of: ":") {
            headers.append(Self.trimmed(text[..<colon]), Self.trimmed(text[text.index(after: colon)...]))
        }
        return true
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

    /// Says that the body is whole: an empty one still makes its file.
    mutating func complete() throws(TransportError) {
        if let destination, isSuccess, file == nil { file = try PartialFile(path: destination) }
    }

    /// Removes what a failed transfer leaves.
    mutating func discard() {
        file?.discard()
        file = nil
        body = []
    }

    private var isSuccess: Bool { (200..<300).contains(status) }

    private var bound: Int {
        maximumBodyBytes ?? (destination != nil && isSuccess ? Int.max : Self.usualMaximumBodyBytes)
    }

    private var announcedBytes: Int? { headers["Content-Length"].flatMap { Int($0) } }

    private mutating func store(_ bytes: UnsafeRawBufferPointer, announced: Int) throws(TransportError) {
        guard let destination, isSuccess else {
            if announced > 0 { body.reserveCapacity(announced) }
            body.append(contentsOf: bytes)
            return
        }
        if file == nil { file = try PartialFile(path: destination) }
        try file?.append(bytes)
        progress?(DownloadProgress(received: received, total: announcedBytes))
    }

    private mutating func refuse(_ code: TransportError.Code, _ message: String) -> Bool {
        refusal = TransportError(code, message)
        return false
    }

    private static func trimmed(_ text: Substring) -> String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
        var rest = text.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return String(rest)
    }
}
