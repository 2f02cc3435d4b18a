import COpenSSL

extension CertificateProblem {
    /// Creates a problem from the result of OpenSSL's verification. `X509_V_OK` means that the chain is valid but the
    /// name does not match. Curl reports `X509_V_ERR_UNSPECIFIED`, its initial value, when it rejected the name before
    /// OpenSSL verified the chain.
    ///
    /// Source: `X509_STORE_CTX_get_error`(3).
    init(verifyResult: Int) {
        self =
            switch Int32(truncatingIfNeeded: verifyResult) {
            case X509_V_OK, X509_V_ERR_UNSPECIFIED, X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
                .wrongName
            case X509_V_ERR_CERT_HAS_EXPIRED: .expired
            case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
            case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: .selfSigned
            case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
                X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE,
                X509_V_ERR_CERT_UNTRUSTED:
                .unknownIssuer
            case X509_V_ERR_APPLICATION_VERIFICATION: .pinMismatch
            default: .other
            }
    }
}
