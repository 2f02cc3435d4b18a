import CCurl

/// A date in a header field, in any format that libcurl reads.
enum FieldDate {
    /// Returns the seconds since 1970. Nil when the text is not a date since then.
    ///
    /// Source: curl_getdate(3).
    static func seconds(_ text: String) -> Int? {
        let time = curl_getdate(text, nil)
        return time < 0 ? nil : time
    }
}
