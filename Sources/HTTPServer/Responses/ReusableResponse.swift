import CLibrary
import CMicroHTTPD
import HTTPMessages

/// A response of libmicrohttpd that is sent more than once, with a different body of the same length each time.
///
/// libmicrohttpd allocates fourteen times for a response with four header fields. For a response that is used again, only
/// `X-Request-Id` is replaced, which takes three allocations.
final class ReusableResponse {
    let handle: OpaquePointer
    fileprivate let headers: HTTPHeaders
    fileprivate let strictTransport: String?
    fileprivate let count: Int
    private let buffer: UnsafeMutableRawPointer
    private var id: String

    /// Creates a response without header fields. Returns nil without memory.
    fileprivate init?(_ headers: HTTPHeaders, strictTransport: String?, count: Int, id: String) {
        guard let buffer = malloc(max(1, count)) else { return nil }
        guard let handle = latch_mhd_response_with_buffer(buffer, count) else {
            free(buffer)
            return nil
        }
        (self.handle, self.buffer, self.count) = (handle, buffer, count)
        (self.headers, self.strictTransport, self.id) = (headers, strictTransport, id)
    }

    deinit {
        // libmicrohttpd frees the buffer when no connection sends the response any more.
        MHD_destroy_response(handle)
    }

    /// Sets the body, which has the length of the one before.
    fileprivate func setBody(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { if let start = $0.baseAddress { memcpy(buffer, start, count) } }
    }

    /// Replaces `X-Request-Id`. Returns false without memory.
    fileprivate func replaceID(with newID: String) -> Bool {
        guard id.withCString({ MHD_del_response_header(handle, "X-Request-Id", $0) }) == latch_mhd_yes else {
            return false
        }
        id = newID
        return ResponseWriter.add("X-Request-Id", newID, to: handle)
    }

    /// Overwrites the body, which may contain a secret.
    fileprivate func clear() { memset(buffer, 0, count) }
}

/// The responses of one loop that are not being sent. Used only on the thread of the loop.
struct ReusableResponses {
    /// The maximum number of responses that are kept.
    static let maximumCount = 32
    /// The maximum size of the body of such a response in bytes.
    static let maximumBodyBytes = 4_096

    private var free: [ReusableResponse] = []

    /// The number of responses that are kept.
    var count: Int { free.count }

    /// Returns the response for an exchange, a new one if there is none with the same header fields and length of the
    /// body. Nil for a response that would not be the same for another request.
    mutating func take(_ response: ServerResponse, for exchange: Exchange) -> ReusableResponse? {
        guard case .bytes(let bytes) = response.body, bytes.count <= Self.maximumBodyBytes,
            response.headers.fields.allSatisfy({ Self.isGeneral($0.name) })
        else { return nil }
        let policy = exchange.strictTransport
        let found = free.lastIndex {
            $0.count == bytes.count && $0.headers == response.headers && $0.strictTransport == policy
        }
        guard let found else { return Self.make(response.headers, policy, bytes, exchange.id) }
        let reused = free.remove(at: found)
        guard reused.replaceID(with: exchange.id) else { return nil }
        reused.setBody(bytes)
        return reused
    }

    /// Keeps a response that was sent.
    mutating func put(_ response: ReusableResponse) {
        response.clear()
        if free.count == Self.maximumCount { free.removeFirst() }
        free.append(response)
    }

    private static func make(
        _ headers: HTTPHeaders, _ policy: String?, _ bytes: [UInt8], _ id: String
    ) -> ReusableResponse? {
        guard let made = ReusableResponse(headers, strictTransport: policy, count: bytes.count, id: id),
            ResponseWriter.add(headers, strictTransport: policy, id: id, to: made.handle)
        else { return nil }
        made.setBody(bytes)
        return made
    }

    /// Whether the value of a field is the same in many responses and never a secret, unlike that of `Set-Cookie`.
    private static func isGeneral(_ name: String) -> Bool {
        HTTPHeaders.namesAreEqual(name, "Content-Type") || HTTPHeaders.namesAreEqual(name, "Cache-Control")
    }
}
