/// The form of a scope.
package enum ScopeToken {
    /// Whether a text is a scope: one or more visible ASCII characters without `"` and `\`.
    ///
    /// Source: RFC 6749 §3.3.
    package static func isValid(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }
}
