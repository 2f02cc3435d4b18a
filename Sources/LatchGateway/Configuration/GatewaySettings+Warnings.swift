import FoundationEssentials

extension GatewaySettings {
    /// Warnings about settings that are valid but may not do what the operator wants, one sentence each.
    var warnings: [String] { addressWarnings + signInWarnings + folderWarnings }

    private var signInWarnings: [String] {
        var all: [String] = []
        let dialects = [onyx.isEnabled, immich.isEnabled, timeTracker.isEnabled, relateMail.isEnabled]
        if !dialects.contains(true), !pages.isEnabled {
            all.append(
                "No dialect and no pages are enabled, so no one can sign in. Set dialects.onyx.enabled or "
                    + "pages.enabled to true.")
        }
        if timeTracker.isEnabled, providers.isEmpty {
            all.append(
                "dialects.timetracker.enabled is true without an identity provider, so no one can sign in there. "
                    + "Configure one in providers.")
        }
        if !providers.isEmpty, publicURL == nil {
            all.append(
                "providers are configured without public_url, so the redirect address to register with them is "
                    + "unknown. Set public_url.")
        }
        return all
    }

    private var folderWarnings: [String] {
        guard immich.isEnabled, let path = immich.library else { return [] }
        var isFolder = false
        guard !FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) || !isFolder else { return [] }
        return ["dialects.immich.library: '\(path)' is not a folder; create it, or mount the drive that it is on."]
    }

    /// Warnings about settings that allow unverified addresses while backends are told who people are.
    private var addressWarnings: [String] {
        guard verify.isEnabled else { return [] }
        let keys = [
            (onyx.isEnabled && onyx.allowsRegistration, "dialects.onyx.registration"),
            (immich.isEnabled && immich.allowsEmailChange, "dialects.immich.email_change"),
        ]
        return keys.filter(\.0).map { _, key in
            "\(key) and verify.enabled are true, so people may use an address that is not verified. A backend gets no "
                + "X-Auth-Email for them; let it identify people by X-Auth-User (docs/any-backend.md)."
        }
    }
}
