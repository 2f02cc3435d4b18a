package import HTTPMessages
import Primitives

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
        // Browsers find a semicolon also before a combining mark. Pages of all sites may send `text/plain;` with such a
        // mark and `+json`, without a question to this server first, so it must not count as JSON.
        return value.prefix(beforeBytes: ";").trimmingBlanks.lowercased()
    }
}
