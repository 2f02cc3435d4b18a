/// Settings of the pages for people.
package struct PageSettings: Sendable, Equatable {
    /// Whether the pages are served. Default: false.
    package var isEnabled = false
    /// The path prefix of the pages. Empty, or `/` followed by text without a trailing `/`. Default: `/latch`.
    package var prefix = "/latch"

    /// The name of the server on the pages. Default: `Latchstring`.
    package var title = "Latchstring"
    /// Whom people ask who may not do something, such as an e-mail address, at most 80 characters. Nil, the default, for
    /// "an administrator".
    package var contact: String?

    /// Creates the default settings.
    init() {}
}
