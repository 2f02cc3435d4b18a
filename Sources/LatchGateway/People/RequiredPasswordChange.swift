/// A password that must be changed opens nothing but the change, the person's own profile and the sign-out. That is decided
/// where a token is authenticated; see ``Authentication/passwordChangeRequired(_:)``.
extension GatewayServices {
    /// Whether a person must choose another password before anything else. Where nobody signs in with passwords, none must.
    func mustChangePassword(_ person: Person) -> Bool {
        settings.passwordsEnabled && person.mustChangePassword
    }

    /// The sentence for a person who must choose another password first.
    var passwordChangeSentence: String {
        let place =
            if settings.pages.isEnabled {
                "at " + (address.configured ?? "") + settings.pages.prefix + PagePath.password
            } else if settings.immich.isEnabled { "in an app for Immich" } else {
                "with the help of your administrator"
            }
        return "Your password must be changed before anything else: change it \(place)."
    }
}
