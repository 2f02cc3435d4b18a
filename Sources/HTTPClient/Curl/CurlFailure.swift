import CCurl

/// The information that curl provides about a failed transfer.
///
/// Source: libcurl-errors(3), `curl_easy_getinfo`(3).
struct CurlFailure: TransferFailure, CustomStringConvertible {
    let code: CURLcode
    /// Curl's error message. It may quote data from the server and must not become part of messages for people.
    let text: String
    /// The `errno` of the last failed connection. 0 if there is none.
    let systemNumber: Int32
    /// OpenSSL's `X509_V_ERR_…`. 0 if the chain was accepted.
    let verifyResult: Int
    /// The proxy's response status to `CONNECT`. 0 if there was none.
    let proxyStatus: Int
    let wasConnected: Bool
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
                .invalidAddress,
                "it is not the address of a web server; write it as 'https://host' or 'https://host:port'."
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
            return (.invalidResponse, "the server did not send an HTTP response; check the port.")
        case CURLE_FILESIZE_EXCEEDED:
            return (.tooLarge, "its response is larger than allowed.")
        default:
            return (.other, "the transfer failed with curl's code \(code.rawValue); try again.")
        }
    }

    private static let wantsCertificate =
        "it requires a valid client certificate; configure the one that its operator gave you."

    private var proxyReason: String? {
        if proxyStatus == 407 {
            return "requires a user name and password; write them as 'http://user:password@host:port'."
        }
        if proxyStatus != 0, !(200..<300).contains(proxyStatus) {
            return "refused the connection with status \(proxyStatus); ask its operator to allow this server."
        }
        return switch code {
        case CURLE_COULDNT_RESOLVE_PROXY: "has a host name that was not found; check the proxy setting."
        case CURLE_COULDNT_CONNECT: "does not respond; check the proxy setting and that the proxy is running."
        case CURLE_PROXY: "refused the connection; check the proxy setting and ask its operator."
        case CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_SEND_ERROR:
            wasConnected ? nil : "closed the connection before the server was reached; check that it is a proxy."
        default: nil
        }
    }

    private func connectReason(_ plan: TransferPlan) -> (TransportError.Code, String) {
        switch ConnectProblem(systemNumber) {
        case .refused:
            (
                .refused,
                "nothing listens on port \(plan.address.port) there; check the port and that the server is running."
            )
        case .timedOut:
            (.timedOut, "it did not respond in time; check the address and any firewall in between.")
        case .unreachable where lacksDescriptors:
            (.unreachable, "this program has too many open files; raise its limit, or run fewer transfers at once.")
        case .unreachable:
            (.unreachable, "there is no route to it; check this machine's network, and the VPN if it needs one.")
        }
    }

    private func timeoutReason(_ plan: TransferPlan) -> (TransportError.Code, String) {
        if wasConnected {
            return (.timedOut, "its response was not complete in the allowed time; try again, or allow more time.")
        }
        let way = plan.proxy.map { " through the proxy '\($0.shownName)'" } ?? ""
        return (
            .timedOut,
            "no connection\(way) was established in the allowed time; check the address, the network and any "
                + "firewall in between."
        )
    }

    /// The reason why the connection ended early. A TLS 1.3 server requests a client certificate after the handshake,
    /// so its alert arrives while the response is read.
    private var endReason: (TransportError.Code, String) {
        if text.contains("alert") { return tlsReason }
        return (.closedEarly, "it closed the connection before the response was complete; try again.")
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
        return (.tls, "the TLS handshake failed; the server may be too old or not configured for this name.")
    }
}
