extension ConfigurationKey {
    package static let pages = [
        ConfigurationKey(
            "pages.enabled", \.settings.pages.isEnabled, as: .boolean,
            summary: "Whether web pages are served: to sign in, to manage devices, and to administer the server."),
        ConfigurationKey(
            "pages.prefix", \.settings.pages.prefix, as: .prefix, summary: "The path prefix of the pages."),
        ConfigurationKey(
            "pages.title", \.settings.pages.title, as: .title, summary: "The name of the server on the pages."),
        ConfigurationKey(
            "pages.contact", \.settings.pages.contact, as: .shown,
            summary: "Whom people ask who may not do something, such as an e-mail address."),
    ]
}
