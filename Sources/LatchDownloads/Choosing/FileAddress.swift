public import LatchKit
import Primitives
import Synchronization

/// The complete address of a file as a person types or pastes it, in normalized form.
///
/// `HTTPS://Files.Example.org:443/%7eada/a.pdf#page=2` and `https://files.example.org./~ada/a.pdf` are the same
/// address.
///
/// Source: RFC 3986 §3 and §6.2.
public struct FileAddress: Sendable, Hashable {
    /// The scheme, host and port.
    public let origin: ServerAddress
    /// The path, beginning with a slash.
    public let path: String
    /// The query as given, which may hold a secret. Nil when there is none.
    public let query: String?

    /// Whether a text is a complete address, and not a path or an id.
    public static func isAddress(_ text: String) -> Bool {
        text.utf8.prefix { !isMark($0) }.last == UInt8(ascii: ":")
    }

    /// Parses an address.
    ///
    /// - Throws: `LatchError.Code.invalidAddress` with what is wrong. The message does not repeat the address,
    ///   because it may hold a password or a key.
    public init(_ text: String) throws(LatchError) {
        guard let mark = text.schemeMark else {
            throw LatchError(
                .invalidAddress, "The URL has no '//' after 'https:'. Write it as in a browser.")
        }
        let rest = text[mark.upperBound...]
        let authority = Substring(rest.utf8.prefix { !Self.isMark($0) })
        let scheme = String(text[..<mark.upperBound])
        if let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) {
            let server = try? ServerAddress(scheme + authority[authority.index(after: at)...])
            let advice = server.map { " Leave it out, and sign in to \($0)." } ?? " Leave it out."
            throw LatchError(
                .invalidAddress,
                "The URL contains a user name or password before the '@', which is not allowed."
                    + advice,
                remedy: server.map { .signIn($0, email: nil) })
        }
        origin = try Self.origin(scheme + authority)
        let bare = Substring(rest[authority.endIndex...].utf8.prefix { $0 != UInt8(ascii: "#") })
        let path = Substring(bare.utf8.prefix { $0 != UInt8(ascii: "?") })
        self.path = path.isEmpty ? "/" : Self.normalized(Self.escaped(path)[...])
        query = path.endIndex < bare.endIndex ? Self.escaped(bare[bare.index(after: path.endIndex)...]) : nil
    }

    /// Returns the path and query to request from a server. Nil when the file is on another server.
    public func request(to server: ServerAddress) -> String? {
        guard server.hasSameOrigin(as: origin), path.hasPrefix(server.prefix + "/") else { return nil }
        return String(Substring(path.utf8.dropFirst(server.prefix.utf8.count))) + (query.map { "?" + $0 } ?? "")
    }

    /// The origin of the previous address. The addresses of a long list mostly have the same one.
    private static let last = Mutex<(text: String, origin: ServerAddress)?>(nil)

    private static func origin(_ text: String) throws(LatchError) -> ServerAddress {
        if let last = last.withLock({ $0 }), last.text == text { return last.origin }
        let origin = try ServerAddress(text)
        last.withLock { $0 = (text, origin) }
        return origin
    }

    private static func isMark(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    /// Percent-encodes the spaces and non-ASCII characters of a path or query, which a request must not contain.
    ///
    /// Source: RFC 3986 §2.1; RFC 3987 §3.1.
    static func escaped(_ text: Substring) -> String {
        guard text.utf8.contains(where: { $0 == 0x20 || $0 >= 0x80 }) else { return String(text) }
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte != 0x20, byte < 0x80 {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Normalizes percent-encoding: decodes unreserved characters, and writes the digits in capitals.
    ///
    /// Source: RFC 3986 §6.2.2.1 and §6.2.2.2.
    private static func normalized(_ path: Substring) -> String {
        guard path.utf8.contains(UInt8(ascii: "%")) else { return String(path) }
        let bytes = Array(path.utf8)
        var text: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let digits = String(validating: bytes[(index + 1)...(index + 2)], as: UTF8.self),
                let byte = UInt8(digits, radix: 16), !digits.hasPrefix("+")
            else {
                text.append(bytes[index])
                index += 1
                continue
            }
            if isUnreserved(byte) { text.append(byte) } else { text += [UInt8(ascii: "%")] + digits.uppercased().utf8 }
            index += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Source: RFC 3986 §2.3. An encoded full stop stays encoded, so that no `..` is created.
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
