import GatewayConfiguration
package import GatewayCore

/// The rule for people who must change their password: until then they may only change it, read their own profile and
/// sign out. It is enforced where a token is authenticated; see ``Authentication/passwordChangeRequired(_:)``.
extension GatewayServices {
    /// Whether a person must change their password before anything else. Always false when passwords are disabled.
    package func mustChangePassword(_ person: Person) -> Bool {
        settings.passwordsEnabled && person.mustChangePassword
    }

    /// The message for a person who must change their password first.
    package var passwordChangeSentence: String {
        let place =
            if settings.pages.isEnabled {
                "at " + (address.configured ?? "") + settings.pages.prefix + PagePath.password
            } else {
                settings.enabledDialects.lazy.compactMap(\.passwordChangePlace).first
                    ?? "with the help of your administrator"
            }
        return "You must change your password first: change it \(place)."
    }
}
