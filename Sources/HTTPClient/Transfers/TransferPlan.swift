import Wire

/// Everything one transfer needs, decided before it starts.
struct TransferPlan: Sendable {
    var method: HTTPMethod
    var address: RequestAddress
    /// All fields to send, the configuration's included.
    var headers: HTTPHeaders
    var body: [UInt8]
    var userAgent: String
    var proxy: ProxyAddress?
    var connectTimeout: Duration
    /// What is left of the whole exchange's time; nil for no bound.
    var timeout: Duration?
    /// How long no byte may come before the transfer is given up; nil for no bound.
    var stallTimeout: Duration?
    var maximumBodyBytes: Int?
    /// Where the body of a success goes; nil keeps it in memory.
    var reception: PartReception?
    /// Whether to stop after the TLS handshake, without a request.
    var connectsOnly = false
}

/// What one transfer brought.
struct TransferResult: Sendable {
    var status: HTTPStatus
    var headers: HTTPHeaders
    var body: [UInt8]
    var version: HTTPVersion
    /// Whether a web page came that was not taken for the file.
    var isUntakenPage = false
}
