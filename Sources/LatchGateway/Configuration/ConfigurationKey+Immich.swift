extension ConfigurationKey {
    static let immich = [
        ConfigurationKey(
            "dialects.immich.enabled", \.settings.immich.isEnabled, .boolean, "Whether clients of Immich can sign in."),
        ConfigurationKey(
            "dialects.immich.prefix", \.settings.immich.prefix, .prefix,
            "The path prefix of the Immich dialect."),
        ConfigurationKey(
            "dialects.immich.admin_sign_up", \.settings.immich.allowsAdminSignUp, .boolean,
            "Whether a person may sign up as the administrator of a server that has no people."),
        ConfigurationKey(
            "dialects.immich.email_change", \.settings.immich.allowsEmailChange, .boolean,
            "Whether people may change their own e-mail address, by which a provider may link identities."),
        ConfigurationKey(
            list: "dialects.immich.redirects", \.settings.immich.redirects, of: .redirect,
            "The app addresses that a sign-in of the Immich dialect through a provider may redirect to, in addition to "
                + "bridge.redirects."),
        ConfigurationKey(
            "dialects.immich.maintenance", \.settings.immich.isInMaintenance, .boolean,
            "Whether clients of Immich get only the message that the server is in maintenance."),
        ConfigurationKey(
            "dialects.immich.library", \.settings.immich.library, .optionalFolder,
            "The folder with the photographs. It contains one folder for each person, named by e-mail address or id, "
                + "and 'shared'."),
    ]
}
