package import FoundationEssentials

/// A name and a password from an `Authorization` field with the Basic scheme, as bytes.
///
/// Source: RFC 7617 §2; RFC 9110 §11.1: the scheme is case-insensitive.
package struct BasicCredentials: Sendable {
    package let name: Data
    package let password: Data

    /// Reads the value of a field. Returns nil when the field has another scheme or is malformed.
    package init?(_ field: String) {
        guard let encoded = BearerToken.credentials(field, scheme: "basic"), let data = Data(base64Encoded: encoded)
        else { return nil }
        let halves = data.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        name = halves[0]
        password = halves[1]
    }
}
