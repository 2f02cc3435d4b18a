import HTTPMessages

/// The response to `GET /.well-known/immich`: where the API is.
///
/// Source: IM-3; docs/protocols/immich.md, Finding the server.
package struct ImmichWellKnown: Codable, Sendable, Equatable {
    /// The location of the API.
    package struct API: Codable, Sendable, Equatable {
        /// The path of the API on the server, or its complete address.
        package var endpoint: String
    }

    /// The location of the API.
    package var api: API

    /// Creates a response.
    package init(endpoint: String) {
        api = API(endpoint: endpoint)
    }
}

/// The response to `GET /server/ping`.
///
/// Source: IM-3; docs/protocols/immich.md, Finding the server.
package struct ImmichPing: Codable, Sendable, Equatable {
    /// The text `pong`.
    package var res: String

    /// Creates the response.
    package init() {
        res = "pong"
    }
}

/// The response to `GET /server/version`.
///
/// Source: IM-4; docs/protocols/immich.md, Server information and Versions.
package struct ImmichVersion: Codable, Sendable, Equatable {
    /// The major version number.
    package var major: Int
    /// The minor version number.
    package var minor: Int
    /// The patch version number.
    package var patch: Int
    /// The number of the release candidate. Null for a release.
    @Nullable package var prerelease: Int?

    /// Creates the version of a release.
    package init(major: Int, minor: Int, patch: Int) {
        self.major = major
        self.minor = minor
        self.patch = patch
        _prerelease = Nullable(wrappedValue: nil)
    }

    /// The Immich version whose responses latchd implements.
    package static let implemented = ImmichVersion(major: 3, minor: 1, patch: 0)

    /// The version as text, such as `v3.1.0`.
    package var text: String { "v\(major).\(minor).\(patch)" }
}

/// The response to `GET /server/features`: the features of the server.
///
/// Source: IM-4; docs/protocols/immich.md, Server information.
package struct ImmichFeatures: Codable, Sendable, Equatable {
    /// Whether people can sign in through an identity provider.
    package var oauth: Bool
    /// Whether the browser opens the identity provider without waiting for a click.
    var oauthAutoLaunch: Bool
    /// Whether people can sign in with e-mail and password.
    package var passwordLogin: Bool
    /// Whether the settings come from a configuration file.
    var configFile: Bool
    /// Whether the server offers search.
    package var search: Bool
    /// Whether the server finds duplicates. latchd does not have this feature or those below. Older servers leave some
    /// of them out.
    var duplicateDetection: Bool?
    /// Whether the server sends e-mail.
    package var email: Bool?
    /// Whether the server recognizes faces.
    var facialRecognition: Bool?
    /// Whether the server imports faces from metadata.
    var importFaces: Bool?
    /// Whether the server offers a map.
    package var map: Bool?
    /// Whether the server recognizes text in pictures.
    var ocr: Bool?
    /// Whether the server transcodes videos during playback.
    var realtimeTranscoding: Bool?
    /// Whether the server determines the names of places from coordinates.
    var reverseGeocoding: Bool?
    /// Whether the server reads sidecar files.
    package var sidecar: Bool?
    /// Whether the server searches by the content of pictures.
    var smartSearch: Bool?
    /// Whether the server has a trash for deleted assets.
    var trash: Bool?

    /// Creates the response of a server that has no other features.
    package init(oauth: Bool, passwordLogin: Bool, search: Bool) {
        self.oauth = oauth
        self.passwordLogin = passwordLogin
        self.search = search
        oauthAutoLaunch = false
        configFile = true
        duplicateDetection = false
        email = false
        facialRecognition = false
        importFaces = false
        map = false
        ocr = false
        realtimeTranscoding = false
        reverseGeocoding = false
        sidecar = false
        smartSearch = false
        trash = false
    }
}

/// The response to `GET /server/config`. In maintenance mode it may contain only ``maintenanceMode``.
///
/// Source: IM-4; docs/protocols/immich.md, Server information and Maintenance mode.
package struct ImmichConfig: Codable, Sendable, Equatable {
    /// The text of the button that opens the identity provider.
    package var oauthButtonText: String?
    /// The message on the sign-in page.
    package var loginPageMessage: String?
    /// The number of days for which deleted pictures are kept.
    var trashDays: Int?
    /// The number of days for which removed accounts are kept.
    var userDeleteDelay: Int?
    /// Whether at least one account exists.
    package var isInitialized: Bool?
    /// Whether the administrator has completed the introduction.
    var isOnboarded: Bool?
    /// The public address of the server. Empty when it is not configured.
    package var externalDomain: String?
    /// Whether people can see each other.
    var publicUsers: Bool?
    /// The address of the style of the dark map. Empty when there is none.
    var mapDarkStyleUrl: String?
    /// The address of the style of the light map. Empty when there is none.
    var mapLightStyleUrl: String?
    /// Whether the server is in maintenance mode.
    package var maintenanceMode: Bool?
    /// The number of pictures from which a face is listed as a person.
    var minFaces: Int?

    /// Creates the response of a server that is not in maintenance mode.
    package init(oauthButtonText: String, isInitialized: Bool, externalDomain: String) {
        self.oauthButtonText = oauthButtonText
        self.isInitialized = isInitialized
        self.externalDomain = externalDomain
        loginPageMessage = ""
        trashDays = 0
        userDeleteDelay = 0
        isOnboarded = true
        publicUsers = false
        mapDarkStyleUrl = ""
        mapLightStyleUrl = ""
        maintenanceMode = false
        minFaces = 3
    }
}
