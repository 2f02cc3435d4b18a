/// The way in which a provider returns its response through the browser.
///
/// Source: OAuth 2.0 Multiple Response Type Encoding Practices §2.1; OAuth 2.0 Form Post Response Mode §2.
package enum ResponseMode: String, Sendable, Hashable, CaseIterable {
    /// In the query of the redirect address.
    case query
    /// In a form that the browser posts to the redirect address.
    case formPost = "form_post"
}
