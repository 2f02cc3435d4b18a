import GatewayConfiguration
import GatewayCore
import HTTPMessages
import HTTPServer
import PictureLibrary

/// The location of nginx that has the files of the picture library and that no client can request.
///
/// nginx sends a file itself when a response names it in `X-Accel-Redirect`. It then also evaluates the conditions and
/// the range of the request.
///
/// Source: nginx, `internal` of `ngx_http_core_module`; `ngx_http_proxy_module`, `proxy_ignore_headers`.
struct InternalLocation: Sendable {
    /// The path of the location, without a trailing slash.
    let path: String
    let proxies: TrustedProxies

    /// The maximum length of the address of a file in bytes. nginx must be able to store the whole header of the
    /// response in its buffer, which has 4 KiB by default.
    private static let maximumBytes = 2_048

    /// Returns the response with which nginx sends a file. Nil when `latchd` must send it: the request is not from a
    /// trusted proxy that supports the field, or the address is too long.
    ///
    /// A proxy that supports it says so in `X-Sendfile-Type`. Any other client would get an empty file.
    func response(
        to request: ServerRequest, for asset: Asset, headers: HTTPHeaders
    ) -> ServerResponse? {
        guard proxies.trusts(request.peer), request.headers.values("X-Sendfile-Type") == ["X-Accel-Redirect"] else {
            return nil
        }
        // nginx decodes the address once and takes a question mark for the end of the path.
        let encoded = PercentEncoding.encode(asset.path) { PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: "/") }
        let address = path + "/" + encoded
        guard address.utf8.count <= Self.maximumBytes else { return nil }
        var fields = headers
        fields["Content-Type"] = asset.mediaType
        fields["X-Accel-Redirect"] = address
        return ServerResponse(headers: fields)
    }
}
