extension ConfigurationKey {
    package static let verify = [
        ConfigurationKey(
            "verify.enabled", \.settings.verify.isEnabled, as: .boolean,
            summary: "Whether reverse proxies may ask who sent a request."),
        ConfigurationKey(
            "verify.path", \.settings.verify.path, as: .wholePath,
            summary: "The path to which proxies send their requests."),
        ConfigurationKey(
            "verify.otherwise", \.settings.verify.rules.otherwise, as: .choice(AccessRule.Admission.otherwise),
            summary: "Who has access if no access rule applies: signed-in (everyone who is signed in), or nobody."),
        ConfigurationKey(
            "verify.cookie_domain", \.settings.verify.cookieDomain, as: .cookieDomain,
            summary: "The domain whose hosts share the cookie of a signed-in browser. With none, each host has its "
                + "own."),
    ]
}
