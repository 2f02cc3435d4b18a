extension ConfigurationKey {
    static let immich = [
        ConfigurationKey(
            "dialects.immich.enabled", \.settings.immich.isEnabled, .truth, "Whether clients of Immich can sign in."),
        ConfigurationKey(
            "dialects.immich.prefix", \.settings.immich.prefix, .prefix,
            "What stands before the paths of the Immich dialect."),
    ]
}
