import CCurl

/// The information that curl provides about a failed transfer.
///
/// Source: libcurl-errors(3), `curl_easy_getinfo`(3).
struct CurlFailure: Error, CustomStringConvertible {
    let code: CURLcode
    /// Curl's error message. It may quote data from the server and must not become part of messages for people.
    let text: String
    /// The `errno` of the last failed connection. 0 if there is none.
    let systemNumber: Int32
    /// OpenSSL's `X509_V_ERR_…`. 0 if the chain was accepted.
    let verifyResult: Int
    /// The proxy's response status to `CONNECT`. 0 if there was none.
    let proxyStatus: Int
    /// Whether the connection was ready for a request, including its TLS handshake.
    let wasConnected: Bool
    /// Whether the connection failed because this process could not open another file descriptor.
    let lacksDescriptors: Bool

    init(_ code: CURLcode, _ easy: EasyHandle) {
        self.code = code
        text = easy.errorDescription
        systemNumber = Int32(truncatingIfNeeded: easy.long(CURLINFO_OS_ERRNO))
        verifyResult = easy.long(CURLINFO_SSL_VERIFYRESULT)
        proxyStatus = easy.long(CURLINFO_HTTP_CONNECTCODE)
        wasConnected = easy.microseconds(CURLINFO_PRETRANSFER_TIME_T) > 0
        // Curl does not report the error number of a socket that it could not create.
        lacksDescriptors = code == CURLE_COULDNT_CONNECT && !ConnectProblem.canOpenMore()
    }

    /// Curl's error number and message, for logs.
    var description: String { "curl \(code.rawValue): \(text)" }

    /// Returns the error for the caller, with a message for people.
    func error(for plan: TransferPlan) -> TransportError {
        let (kind, explanation) = explain(plan)
        return TransportError(kind, "Could not reach '\(plan.address.origin)': \(explanation)", cause: self)
    }

    private func explain(_ plan: TransferPlan) -> (TransportError.Code, String) {
        if let proxy = plan.proxy, let reason = proxyReason {
            return (.proxy, "the proxy '\(proxy.shownName)' \(reason)")
        }
        switch code {
        case CURLE_URL_MALFORMAT:
            return (
                .invalidAddress, "it is no address of a web server; write it as 'https://host' or 'https://host:port'."
            )
        case CURLE_COULDNT_RESOLVE_HOST:
            return (
                .nameNotFound,
                "the name '\(plan.address.host)' was not found; check its spelling and this machine's network."
            )
        case CURLE_COULDNT_CONNECT:
            return connectReason(plan)
        case CURLE_OPERATION_TIMEDOUT:
            return timeoutReason(plan)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR:
            let problem = CertificateProblem(verifyResult: verifyResult)
            return (.certificate(problem), problem.explanation(host: plan.address.host))
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT:
            return (.clientCertificate, Self.wantsCertificate)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
            CURLE_USE_SSL_FAILED, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_SHUTDOWN_FAILED, CURLE_ABORTED_BY_CALLBACK:
            return tlsReason
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2_STREAM:
            return endReason
        // The scheme of the address was checked before, so an unsupported protocol is the server's, for example
        // HTTP/0.9.
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_BAD_CONTENT_ENCODING,
            CURLE_BAD_FUNCTION_ARGUMENT:
            return (.invalidResponse, "what came is no HTTP response; check the port.")
        case CURLE_FILESIZE_EXCEEDED:
            return (.tooLarge, "its answer is larger than allowed here.")
        default:
            return (.other, "the transfer failed with curl's code \(code.rawValue); try again.")
        }
    }

    private static let wantsCertificate =
        "it does not accept this client without the right client certificate; configure the one its operator gave you."

    private var proxyReason: String? {
        if proxyStatus == 407 {
            return "wants a user name and password; write them as 'http://user:password@host:port'."
        }
        if proxyStatus != 0, !(200..<300).contains(proxyStatus) {
            return "declined with status \(proxyStatus); ask its operator to allow this server."
        }
        return switch code {
        case CURLE_COULDNT_RESOLVE_PROXY: "has a name that was not found; check the proxy setting."
        case CURLE_COULDNT_CONNECT: "does not answer; check the proxy setting and that the proxy runs."
        case CURLE_PROXY: "did not let the connection through; check the proxy setting and ask its operator."
        case CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_SEND_ERROR:
            wasConnected ? nil : "broke off before the server was reached; check that it is a proxy."
        default: nil
        }
    }

    private func connectReason(_ plan: TransferPlan) -> (TransportError.Code, String) {
        switch ConnectProblem(systemNumber) {
        case .refused:
            (.refused, "nothing listens on port \(plan.address.port) there; check the port and that the server runs.")
        case .timedOut:
            (.timedOut, "it did not answer in time; check the address, and any firewall between.")
        case .unreachable where lacksDescriptors:
            (.unreachable, "this program has too many open files; raise its limit, or let it do less at once.")
        case .unreachable:
            (.unreachable, "there is no way to it; check this machine's network, and a VPN if the server needs one.")
        }
    }

    private func timeoutReason(_ plan: TransferPlan) -> (TransportError.Code, String) {
        if wasConnected {
            return (.timedOut, "it did not answer completely in the time allowed; try again, or allow more time.")
        }
        let way = plan.proxy.map { " through the proxy '\($0.shownName)'" } ?? ""
        return (
            .timedOut,
            "no connection\(way) came about in the time allowed; check the address, the network and any "
                + "firewall between."
        )
    }

    /// The reason why the connection ended early. A TLS 1.3 server requests a client certificate after the handshake,
    /// so its alert arrives while the response is read.
    private var endReason: (TransportError.Code, String) {
        if text.contains("alert") { return tlsReason }
        return (.closedEarly, "it closed the connection before the whole answer had come; try again.")
    }

    private var tlsReason: (TransportError.Code, String) {
        let mentions = { (words: [String]) in words.contains { text.contains($0) } }
        if mentions([
            "certificate required", "bad certificate", "alert unknown ca", "alert certificate",
            "alert handshake failure",
        ]) {
            return (.clientCertificate, Self.wantsCertificate)
        }
        if mentions(["wrong version number", "http request", "packet length too long"]) {
            return (
                .tls,
                "it does not speak TLS on that port; check the port, or whether the address should begin with "
                    + "'http://'."
            )
        }
        return (.tls, "the two ends could not agree on TLS; the server may be too old or not set up for this name.")
    }
}
