extension GatewaySettings {
    /// Warnings about settings that let people use unproved addresses while backends are told who people are.
    var addressWarnings: [String] {
        guard verify.isEnabled else { return [] }
        let keys = [
            (onyx.isEnabled && onyx.allowsRegistration, "dialects.onyx.registration"),
            (immich.isEnabled && immich.allowsEmailChange, "dialects.immich.email_change"),
        ]
        return keys.filter(\.0).map { _, key in
            "\(key) and verify.enabled are true: people may name an address that nobody proves. A backend gets no X-Auth-Email of "
                + "them; have it know people by X-Auth-User (docs/any-backend.md)."
        }
    }
}
