extension ConfigurationKey {
    static let relateMail = [
        ConfigurationKey(
            "dialects.relate-mail.enabled", \.settings.relateMail.isEnabled, .truth,
            "Whether clients of Relate Mail can sign in."),
        ConfigurationKey(
            "dialects.relate-mail.prefix", \.settings.relateMail.prefix, .prefix,
            "What stands before the paths of the Relate Mail dialect."),
    ]
}
