extension ConfigurationKey {
    static let pages = [
        ConfigurationKey(
            "pages.enabled", \.settings.pages.isEnabled, .boolean,
            "Whether there are pages for people: to sign in, to see devices, to administer."),
        ConfigurationKey(
            "pages.prefix", \.settings.pages.prefix, .prefix, "What stands before the paths of the pages."),
        ConfigurationKey(
            "pages.title", \.settings.pages.title, .title, "What the server is called on the pages."),
    ]
}
