import FoundationEssentials
package import GatewayConfiguration

extension ImmichSettings {
    package static let configurationKeys = [
        ConfigurationKey(
            "dialects.immich.enabled", \.settings.immich.isEnabled, as: .boolean,
            summary: "Whether clients of Immich can sign in."),
        ConfigurationKey(
            "dialects.immich.prefix", \.settings.immich.prefix, as: .prefix,
            summary: "The path prefix of the Immich dialect."),
        ConfigurationKey(
            "dialects.immich.admin_sign_up", \.settings.immich.allowsAdminSignUp, as: .boolean,
            summary: "Whether a person may sign up as the administrator of a server that has no people."),
        ConfigurationKey(
            "dialects.immich.email_change", \.settings.immich.allowsEmailChange, as: .boolean,
            summary: "Whether people may change their own e-mail address, by which a provider may link identities."),
        ConfigurationKey(
            list: "dialects.immich.redirects", \.settings.immich.redirects, of: .redirect,
            summary: "The app addresses that a sign-in of the Immich dialect through a provider may redirect to, in "
                + "addition to bridge.redirects."),
        ConfigurationKey(
            "dialects.immich.maintenance", \.settings.immich.isInMaintenance, as: .boolean,
            summary: "Whether clients of Immich get only the message that the server is in maintenance."),
        ConfigurationKey(
            "dialects.immich.library", \.settings.immich.library, as: .optionalFolder,
            summary: "The folder with the photographs. It contains one folder for each person, named by e-mail address "
                + "or id, and 'shared'."),
        ConfigurationKey(
            "dialects.immich.internal_location", \.settings.immich.internalLocation, as: .optionalLocation,
            summary: "The internal location of nginx with that folder, such as /.latchd/pictures. If it is set, nginx "
                + "sends the files, for requests of trusted proxies that have X-Sendfile-Type: X-Accel-Redirect."),
    ]

    /// The redirect address of an app that sends `GET /oauth/authorize`.
    static let specifiedRedirect = "immich://oauth-callback"

    package func prefix(in settings: GatewaySettings) -> String { prefix }

    /// Returns the redirects, their variants with one slash instead of three, which browsers create, and the server's
    /// address that redirects to the app.
    package func redirects(in settings: GatewaySettings) -> [String] {
        let forms = redirects.flatMap { redirect in
            guard let cut = redirect.firstRange(of: ":///") else { return [redirect] }
            return [redirect, "\(redirect[..<cut.lowerBound]):/\(redirect[cut.upperBound...])"]
        }
        guard let publicURL = settings.publicURL else { return forms }
        let base = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
        return forms + ["\(base)\(prefix)/oauth/mobile-redirect"]
    }

    package func warnings(in settings: GatewaySettings) -> [String] {
        guard let path = library else { return [] }
        var isFolder = false
        guard !FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) || !isFolder else { return [] }
        return ["dialects.immich.library: '\(path)' is not a folder; create it, or mount the drive that it is on."]
    }

    package func signInPath(in settings: GatewaySettings) -> String? { settings.signInPath(removingAPIFrom: prefix) }

    package var unverifiedAddressKeys: [String] { allowsEmailChange ? ["dialects.immich.email_change"] : [] }
    package var appTitles: [String: String] {
        let (android, iOS) = ("Immich on Android", "Immich on iOS")
        return ["immich-android": android, "immich_android": android, "immich-ios": iOS, "immich_ios": iOS]
    }
    package var usesPINs: Bool { true }
    package var passwordChangePlace: String? { "in an app for Immich" }
}
