package import HTTPMessages

/// An error response of an Onyx server. Onyx has four envelopes, and this type reads all of them:
///
/// 1. business: `{"error_code": CODE, "detail": text}`;
/// 2. framework: `{"detail": text}` or `{"detail": {"code": CODE, "reason": text}}`;
/// 3. validation: 422 `{"status_code": 422, "message": text, "data": null}`, or the framework's own array of `{"msg"}`;
/// 4. an uncaught error: 400 `{"message": text}`.
///
/// Source: docs/protocols/onyx.md, Errors.
package struct OnyxError: Sendable, Equatable {
    /// The error code: `error_code`, the code inside `detail`, or `detail` when it looks like a code (`LOGIN_BAD…`).
    package var code: String?
    /// The text for a person. Nil when there is none.
    package var detail: String?
    /// The envelope of the response.
    package var envelope: Envelope

    /// The shape of an error body.
    package enum Envelope: Sendable, Equatable {
        /// `{"error_code", "detail"}`.
        case business
        /// `{"detail": text}`.
        case detail
        /// `{"detail": {"code", "reason"}}`.
        case codedDetail
        /// `{"status_code", "message", "data"}`, or an array under `detail`.
        case validation
        /// `{"message": text}`.
        case message
    }

    /// Creates an error response.
    package init(_ envelope: Envelope, code: String? = nil, detail: String? = nil) {
        self.envelope = envelope
        self.code = code
        self.detail = detail
    }

    /// Reads an error from a body. Returns nil when the body has no known envelope and is therefore not from
    /// an Onyx server.
    package init?(body: [UInt8]) {
        guard let json = try? JSONValue(parsing: body), json.members != nil else { return nil }
        if let code = json["error_code"]?.string {
            self.init(.business, code: code, detail: json["detail"]?.string)
        } else if let text = json["detail"]?.string {
            self.init(.detail, code: Self.looksLikeCode(text) ? text : nil, detail: text)
        } else if let code = json["detail"]?["code"]?.string {
            self.init(.codedDetail, code: code, detail: json["detail"]?["reason"]?.string)
        } else if let items = json["detail"]?.array {
            self.init(.validation, detail: items.compactMap { $0["msg"]?.string }.joined(separator: "; "))
        } else if let message = json["message"]?.string {
            self.init(json["status_code"] == nil ? .message : .validation, detail: message)
        } else {
            return nil
        }
    }

    /// Returns the body in this envelope. Only the validation envelope contains `status`.
    package func body(status: HTTPStatus) -> [UInt8] {
        let code = code.map(JSONValue.string) ?? .null
        let detail = detail.map(JSONValue.string) ?? .null
        let json: JSONValue =
            switch envelope {
            case .business: ["error_code": code, "detail": detail]
            case .detail: ["detail": self.code == nil ? detail : code]
            case .codedDetail: ["detail": ["code": code, "reason": detail]]
            case .validation: ["status_code": .number(Double(status.rawValue)), "message": detail, "data": nil]
            case .message: ["message": detail]
            }
        return json.encoded()
    }

    private static func looksLikeCode(_ text: String) -> Bool {
        !text.isEmpty && text.contains("_")
            && text.utf8.allSatisfy { $0 == UInt8(ascii: "_") || (0x41...0x5A).contains($0) }
    }
}
