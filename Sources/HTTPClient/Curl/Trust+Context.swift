import COpenSSL

extension Trust {
    /// Installs this trust in the TLS context of a new connection. Returns false on failure.
    func install(in context: OpaquePointer) -> Bool {
        switch verification {
        case .authorities(let anchors, let includesSystem):
            // OpenSSL looks up an authority by name when it needs one. Curl would read the whole bundle for each
            // connection.
            if includesSystem { SSL_CTX_set_default_verify_paths(context) }
            let store = SSL_CTX_get_cert_store(context)
            guard anchors.allSatisfy({ X509_STORE_add_cert(store, $0.pointer) == 1 }) else { return false }
        case .pinned:
            // The context may call back during the connection. The loop that owns this object outlives the connection.
            SSL_CTX_set_cert_verify_callback(context, verifyPinned, Unmanaged.passUnretained(self).toOpaque())
        case .observed:
            SSL_CTX_set_cert_verify_callback(context, observe, Unmanaged.passUnretained(self).toOpaque())
        }
        return identity?.install(in: context) ?? true
    }
}

/// Accepts a chain if and only if its leaf has the pinned fingerprint.
///
/// Source: `SSL_CTX_set_cert_verify_callback`(3).
private let verifyPinned: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { chain, trust in
    guard let chain, let trust, let leaf = X509_STORE_CTX_get0_cert(chain),
        case .pinned(let wanted) = Unmanaged<Trust>.fromOpaque(trust).takeUnretainedValue().verification,
        Certificate.fingerprint(of: leaf) == wanted
    else {
        // Curl passes this error on as CURLINFO_SSL_VERIFYRESULT, from which the message is made.
        if let chain { X509_STORE_CTX_set_error(chain, X509_V_ERR_APPLICATION_VERIFICATION) }
        return 0
    }
    X509_STORE_CTX_set_error(chain, X509_V_OK)
    return 1
}

/// Accepts every chain and stores its leaf.
private let observe: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { chain, trust in
    if let chain, let trust, let leaf = X509_STORE_CTX_get0_cert(chain), X509_up_ref(leaf) == 1,
        case .observed(let box) = Unmanaged<Trust>.fromOpaque(trust).takeUnretainedValue().verification
    {
        box.put(Certificate(owning: leaf))
    }
    return 1
}
