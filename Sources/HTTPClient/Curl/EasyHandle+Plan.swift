import CCurl
import HTTPMessages

extension EasyHandle {
    /// Sets all options of the handle for a plan. `transfer` gets the callbacks. `transfer` and `trust` must outlive
    /// the use of the handle.
    func prepare(_ plan: TransferPlan, trust: Trust, for transfer: Transfer) {
        set(CURLOPT_URL, plan.address.url)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        set(CURLOPT_FOLLOWLOCATION, false)
        set(CURLOPT_NOSIGNAL, true)
        // A transfer that ends during a name lookup leaves the thread of the lookup running and does not block the
        // other transfers.
        set(CURLOPT_QUICK_EXIT, true)
        set(CURLOPT_TCP_KEEPALIVE, true)
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        set(CURLOPT_CONNECTTIMEOUT_MS, plan.connectTimeout.curlMilliseconds)
        set(CURLOPT_TIMEOUT_MS, plan.timeout?.curlMilliseconds ?? 0)
        if let stall = plan.stallTimeout {
            set(CURLOPT_LOW_SPEED_LIMIT, 1)
            set(CURLOPT_LOW_SPEED_TIME, max(1, Int(stall.components.seconds)))
        }
        // Fewer and larger writes to the file. Not larger than curl's own read size, because several buffers exist at
        // once.
        if plan.reception != nil { set(CURLOPT_BUFFERSIZE, 100 << 10) }
        set(CURLOPT_CONNECT_ONLY, plan.connectsOnly)
        if plan.keepsConnection {
            set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
            set(CURLOPT_HTTPPROXYTUNNEL, true)
        }
        set(CURLOPT_USERAGENT, plan.userAgent)
        prepareProxy(plan.proxy)
        prepareMessage(plan)
        prepareTrust(trust)
        prepareCallbacks(Unmanaged.passUnretained(transfer).toOpaque())
    }

    private func prepareProxy(_ proxy: ProxyAddress?) {
        // Empty strings: with nil curl would use the proxy and the exceptions (no_proxy) of the environment.
        set(CURLOPT_PROXY, proxy?.text ?? "")
        set(CURLOPT_NOPROXY, "")
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
        // The fields, such as Authorization, are for the server and not for the CONNECT to the proxy.
        set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    }

    private func prepareMessage(_ plan: TransferPlan) {
        let bodyless: [HTTPMethod] = [.get, .head, .delete, .options]
        if plan.method == .head, plan.body.isEmpty {
            set(CURLOPT_NOBODY, true)
        } else if plan.body.isEmpty, bodyless.contains(plan.method) {
            set(CURLOPT_HTTPGET, true)
        } else {
            set(CURLOPT_POST, true)
            setBody(plan.body)
        }
        if plan.method != .head { set(CURLOPT_CUSTOMREQUEST, plan.method.rawValue) }
        // Downloads are not compressed, so that the file gets the original bytes and the announced total matches its
        // size.
        if plan.reception == nil { set(CURLOPT_ACCEPT_ENCODING, "gzip") }
        prepareFields(plan.headers)
    }

    /// Adds the header fields. A line `Name;` sends an empty value, and `Name:` removes a field that curl would add.
    private func prepareFields(_ headers: HTTPHeaders) {
        for field in headers {
            addField(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        // Curl would add a form type to every POST, and Expect to large ones.
        for name in ["Content-Type", "Expect"] where headers[name] == nil { addField("\(name):") }
        installFields()
    }

    private func prepareTrust(_ trust: Trust) {
        set(CURLOPT_SSL_VERIFYPEER, trust.isEnforced)
        set(CURLOPT_SSL_VERIFYHOST, trust.checksName ? 2 : 0)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // The trust provides the authorities.
        set(CURLOPT_CAINFO, nil as String?)
        set(CURLOPT_CAPATH, nil as String?)
        check(latch_curl_set_tls_context(pointer, installTrust), CURLOPT_SSL_CTX_FUNCTION)
        setPointer(CURLOPT_SSL_CTX_DATA, Unmanaged.passUnretained(trust).toOpaque())
    }

    private func prepareCallbacks(_ transfer: UnsafeMutableRawPointer) {
        check(latch_curl_set_write(pointer, CURLOPT_HEADERFUNCTION, takeHeader), CURLOPT_HEADERFUNCTION)
        setPointer(CURLOPT_HEADERDATA, transfer)
        check(latch_curl_set_write(pointer, CURLOPT_WRITEFUNCTION, takeBody), CURLOPT_WRITEFUNCTION)
        setPointer(CURLOPT_WRITEDATA, transfer)
    }
}

private let takeHeader: curl_write_callback = { bytes, size, count, transfer in
    guard let transfer else { return 0 }
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return Unmanaged<Transfer>.fromOpaque(transfer).takeUnretainedValue().receiver.takeHeader(line) ? line.count : 0
}

private let takeBody: curl_write_callback = { bytes, size, count, transfer in
    guard let transfer else { return 0 }
    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return Unmanaged<Transfer>.fromOpaque(transfer).takeUnretainedValue().receiver.takeBody(piece) ? piece.count : 0
}

private let installTrust: curl_ssl_ctx_callback = { _, context, trust in
    guard let context, let trust,
        Unmanaged<Trust>.fromOpaque(trust).takeUnretainedValue().install(in: OpaquePointer(context))
    else { return CURLE_ABORTED_BY_CALLBACK }
    return CURLE_OK
}

extension Duration {
    /// The duration in whole milliseconds: at least 1, because curl treats 0 as its default, and at most what fits in
    /// 32 bits. It is rounded up, so that no time is left for another request when a transfer has timed out at a
    /// deadline.
    var curlMilliseconds: Int {
        let parts = components
        guard parts.seconds < 2_000_000 else { return 2_000_000_000 }
        let (milliseconds, rest) = parts.attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
        return max(1, Int(parts.seconds) * 1000 + Int(milliseconds) + (rest > 0 ? 1 : 0))
    }
}
