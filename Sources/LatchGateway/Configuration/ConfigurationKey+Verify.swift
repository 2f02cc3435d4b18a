extension ConfigurationKey {
    static let verify = [
        ConfigurationKey(
            "verify.enabled", \.settings.verify.isEnabled, .boolean,
            "Whether reverse proxies may ask whose a request is."),
        ConfigurationKey(
            "verify.path", \.settings.verify.path, .wholePath, "The path that proxies ask."),
        ConfigurationKey(
            "verify.otherwise", \.settings.verify.rules.otherwise, .choice(AccessRule.Admission.otherwise),
            "Who may come where no rule of access says it: signed-in for everybody who is, or nobody."),
        ConfigurationKey(
            "verify.cookie_domain", \.settings.verify.cookieDomain, .cookieDomain,
            "The domain whose hosts share the cookie of a browser that signed in; with none, each host has its own."),
    ]
}
