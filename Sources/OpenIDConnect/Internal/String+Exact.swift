extension String {
    /// Returns whether two strings have the same bytes. In contrast, `==` treats canonically equivalent Unicode strings
    /// as equal, but names in tokens are compared without normalization.
    ///
    /// Source: RFC 7519 §2, `StringOrURI`; RFC 8259 §8.3.
    func isExactly(_ other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}
