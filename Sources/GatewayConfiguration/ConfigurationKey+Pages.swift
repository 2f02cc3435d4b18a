extension ConfigurationKey {
    package static let pages = [
        ConfigurationKey(
            "pages.enabled", \.settings.pages.isEnabled, .boolean,
            "Whether web pages are served: to sign in, to manage devices, and to administer the server."),
        ConfigurationKey(
            "pages.prefix", \.settings.pages.prefix, .prefix, "The path prefix of the pages."),
        ConfigurationKey(
            "pages.title", \.settings.pages.title, .title, "The name of the server on the pages."),
    ]
}
