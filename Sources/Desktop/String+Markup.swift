import Primitives

extension String {
    /// The text for HTML and for the markup of notifications: `&`, `<` and `>` are escaped.
    var escapedForMarkup: String {
        replacingBytes(of: "&", with: "&amp;").replacingBytes(of: "<", with: "&lt;").replacingBytes(
            of: ">", with: "&gt;")
    }
}
