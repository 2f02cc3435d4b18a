import CCurl
import HTTPMessages

/// Determines the result of a finished transfer.
enum TransferOutcome {
    static func result(
        of transfer: Transfer, _ easy: EasyHandle, _ code: CURLcode
    ) -> Result<TransferResult, TransportError> {
        // First, because curl reports a refusal by the receiver only as a failed write.
        if let refusal = transfer.receiver.refusal { return .failure(refusal) }
        guard code == CURLE_OK else {
            return .failure(CurlFailure(code, easy).error(for: transfer.plan))
        }
        do throws(TransportError) {
            try transfer.receiver.complete()
        } catch {
            return .failure(error)
        }
        return .success(
            TransferResult(
                status: HTTPStatus(rawValue: easy.long(CURLINFO_RESPONSE_CODE)), headers: transfer.receiver.headers,
                body: transfer.receiver.body, version: version(easy.long(CURLINFO_HTTP_VERSION)),
                isRejectedPage: transfer.receiver.isRejectedPage))
    }

    private static func version(_ number: Int) -> HTTPVersion {
        switch number {
        case Int(CURL_HTTP_VERSION_1_0): .http10
        case Int(CURL_HTTP_VERSION_2_0): .http2
        default: .http11
        }
    }
}
