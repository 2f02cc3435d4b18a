extension ConfigurationKey {
    static let immich = [
        ConfigurationKey(
            "dialects.immich.enabled", \.settings.immich.isEnabled, .boolean, "Whether clients of Immich can sign in."),
        ConfigurationKey(
            "dialects.immich.prefix", \.settings.immich.prefix, .prefix,
            "What stands before the paths of the Immich dialect."),
        ConfigurationKey(
            "dialects.immich.admin_sign_up", \.settings.immich.allowsAdminSignUp, .boolean,
            "Whether the first person of a server without people may make themselves its administrator."),
        ConfigurationKey(
            "dialects.immich.email_change", \.settings.immich.allowsEmailChange, .boolean,
            "Whether people may change their own e-mail address, by which a provider may link somebody."),
        ConfigurationKey(
            list: "dialects.immich.redirects", \.settings.immich.redirects, of: .redirect,
            "The addresses in apps that a sign-in of the Immich dialect through a provider may end at, besides those of "
                + "bridge.redirects."),
        ConfigurationKey(
            "dialects.immich.maintenance", \.settings.immich.isInMaintenance, .boolean,
            "Whether clients of Immich are told that the server is being worked on, and nothing else."),
        ConfigurationKey(
            "dialects.immich.library", \.settings.immich.library, .optionalFolder,
            "The folder with the photographs, in it one for each person, named by e-mail address or id, and 'shared'."),
    ]
}
