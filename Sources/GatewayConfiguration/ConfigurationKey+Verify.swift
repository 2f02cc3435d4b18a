extension ConfigurationKey {
    package static let verify = [
        ConfigurationKey(
            "verify.enabled", \.settings.verify.isEnabled, .boolean,
            "Whether reverse proxies may ask who sent a request."),
        ConfigurationKey(
            "verify.path", \.settings.verify.path, .wholePath, "The path to which proxies send their requests."),
        ConfigurationKey(
            "verify.otherwise", \.settings.verify.rules.otherwise, .choice(AccessRule.Admission.otherwise),
            "Who has access if no access rule applies: signed-in (everyone who is signed in), or nobody."),
        ConfigurationKey(
            "verify.cookie_domain", \.settings.verify.cookieDomain, .cookieDomain,
            "The domain whose hosts share the cookie of a signed-in browser. With none, each host has its own."),
    ]
}
