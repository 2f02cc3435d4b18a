import HTTPMessages

/// The complete parameters of one transfer.
struct TransferPlan: Sendable {
    var method: HTTPMethod
    var address: RequestAddress
    /// All header fields to send, including those of the configuration.
    var headers: HTTPHeaders
    var body: [UInt8]
    var userAgent: String
    var proxy: ProxyAddress?
    var connectTimeout: Duration
    /// The remaining time of the whole exchange. Nil means no timeout.
    var timeout: Duration?
    /// The time without a received byte after which the transfer fails. Nil means no timeout.
    var stallTimeout: Duration?
    var maximumBodyBytes: Int?
    /// The destination of the body of a successful response. Nil keeps it in memory.
    var reception: PartReception?
    /// Whether to stop after the TLS handshake, without a request.
    var connectsOnly = false
    /// Whether the result has the connection, for another protocol than HTTP. It is then made for HTTP/1.1, and through
    /// a tunnel of the proxy. Requires ``connectsOnly``.
    var keepsConnection = false
}

/// The result of one transfer.
struct TransferResult: Sendable {
    var status: HTTPStatus
    var headers: HTTPHeaders
    var body: [UInt8]
    var version: HTTPVersion
    /// Whether the response was a web page that was not accepted as the file.
    var isRejectedPage = false
    /// The connection of a plan that keeps it.
    var connection: (any ByteStream)?
}
