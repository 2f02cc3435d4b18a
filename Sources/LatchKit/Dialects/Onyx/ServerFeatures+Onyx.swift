import ServerMessages

extension ServerFeatures {
    /// Makes features from the response of an Onyx server. An old server announces only `auth_type`: `basic` means
    /// sign-in with a password, `google_oauth` with the browser, and `cloud` with both.
    init(_ type: OnyxAuthType) {
        let old = type.authType.map { ["basic", "cloud", "disabled"].contains($0.lowercased()) }
        self.init(
            signsInWithPassword: type.passwordAuthEnabled ?? old ?? true,
            signsInWithBrowser: type.oauthEnabled ?? ["google_oauth", "cloud"].contains(type.authType?.lowercased())
                || type.ssoProviders?.isEmpty == false,
            passwordRule: PasswordRule(
                minimumLength: type.passwordMinLength, maximumLength: type.passwordMaxLength,
                needsUppercase: type.passwordRequireUppercase ?? false,
                needsLowercase: type.passwordRequireLowercase ?? false, needsDigit: type.passwordRequireDigit ?? false,
                needsSpecial: type.passwordRequireSpecialCharacter ?? false),
            requiresVerification: type.requiresVerification ?? false, hasUsers: type.hasUsers ?? true,
            providers: (type.ssoProviders ?? []).map {
                Provider(id: $0.name, title: SanitizedText.clean($0.displayName))
            })
    }
}
