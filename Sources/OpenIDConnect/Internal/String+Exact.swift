extension String {
    /// Whether two texts have the same bytes. `==` takes for one what Unicode writes in two ways, and names in tokens are compared
    /// without any normalization.
    ///
    /// Source: RFC 7519 §2, `StringOrURI`; RFC 8259 §8.3.
    func isExactly(_ other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}
