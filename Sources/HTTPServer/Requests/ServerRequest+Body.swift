package import HTTPMessages

extension ServerRequest {
    /// Decodes a JSON body.
    ///
    /// - Throws: ``RequestError`` with status 415 when `Content-Type` is not `application/json` (or `…+json`), and with
    ///   400 when the body does not match `type`.
    package func json<T: Decodable>(_ type: T.Type) throws(RequestError) -> T {
        guard let media = mediaType, media == JSON.mediaType || media.hasSuffix("+json") else {
            throw RequestError(
                status: .unsupportedMediaType, message: "The body's Content-Type must be application/json.")
        }
        do {
            return try JSON.decode(type, from: body, repairsText: false)
        } catch {
            throw RequestError(status: .badRequest, message: error.message)
        }
    }

    /// Decodes a form body.
    ///
    /// - Throws: ``RequestError`` with status 415 when `Content-Type` is not `application/x-www-form-urlencoded`, and
    ///   with 400 when the body is not a form.
    package func form() throws(RequestError) -> FormFields {
        // Most clients send exactly this value, and comparing it needs no additional string.
        guard headers["Content-Type"] == FormURLEncoded.mediaType || mediaType == FormURLEncoded.mediaType else {
            throw RequestError(
                status: .unsupportedMediaType, message: "The body's Content-Type must be \(FormURLEncoded.mediaType).")
        }
        do {
            return try FormURLEncoded.decode(body)
        } catch {
            throw RequestError(status: .badRequest, message: error.message)
        }
    }

    /// The media type of the body in lower case, without parameters. Nil without `Content-Type`.
    ///
    /// Source: RFC 9110 §8.3.1.
    package var mediaType: String? {
        guard let value = headers["Content-Type"] else { return nil }
        let type = value.prefix { $0 != ";" }
        return String(type.reversed().drop { $0 == " " || $0 == "\t" }.reversed()).lowercased()
    }
}
