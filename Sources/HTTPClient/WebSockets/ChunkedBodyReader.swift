/// Collects the bytes of a connection until a body in chunks is complete. Extensions and trailer fields are ignored.
///
/// Source: RFC 9112 §7.1.
struct ChunkedBodyReader {
    /// The bytes are no body in chunks, or the body is too large.
    struct Failure: Error {}

    private enum Step { case size, content(Int), contentEnd, trailer }

    private let maximumBytes: Int
    private var step = Step.size
    private var body: [UInt8] = []
    private var rest: [UInt8] = []
    /// The bytes of lines so far, which do not belong to the body.
    private var lineBytes = 0

    /// Creates a reader.
    ///
    /// - Parameter maximumBytes: The maximum size of the body, and of everything else together.
    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// Adds bytes. Returns the body once it is complete.
    mutating func append(_ bytes: [UInt8]) throws(Failure) -> [UInt8]? {
        rest += bytes
        while true {
            if case .content(let count) = step {
                let part = rest.prefix(count)
                body += part
                rest.removeFirst(part.count)
                step = part.count == count ? .contentEnd : .content(count - part.count)
                if part.count < count { return nil }
            }
            guard let line = try takeLine() else { return nil }
            switch step {
            case .size:
                let count = try size(line)
                step = count == 0 ? .trailer : .content(count)
            case .contentEnd:
                guard line.isEmpty else { throw Failure() }
                step = .size
            case .trailer: if line.isEmpty { return body }
            case .content: break
            }
        }
    }

    /// Takes the next line without its end. Nil when it is incomplete.
    private mutating func takeLine() throws(Failure) -> [UInt8]? {
        guard let end = rest.firstIndex(of: 0x0A) else {
            guard lineBytes + rest.count <= maximumBytes else { throw Failure() }
            return nil
        }
        lineBytes += end + 1
        guard lineBytes <= maximumBytes, end > 0, rest[end - 1] == 0x0D else { throw Failure() }
        defer { rest.removeFirst(end + 1) }
        return Array(rest[..<(end - 1)])
    }

    private func size(_ line: [UInt8]) throws(Failure) -> Int {
        let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        // `Int` would accept a sign.
        guard (1...8).contains(digits.count), digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-"),
            let count = Int(String(decoding: digits, as: UTF8.self), radix: 16), count <= maximumBytes - body.count
        else { throw Failure() }
        return count
    }
}
