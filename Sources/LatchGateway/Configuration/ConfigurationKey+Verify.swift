extension ConfigurationKey {
    static let verify = [
        ConfigurationKey(
            "verify.enabled", \.settings.verify.isEnabled, .truth,
            "Whether reverse proxies may ask who a request is of."),
        ConfigurationKey(
            "verify.prefix", \.settings.verify.prefix, .prefix, "What stands before the paths that proxies ask."),
    ]
}
