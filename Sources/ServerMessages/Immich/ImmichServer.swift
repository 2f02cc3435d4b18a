/// The response to `GET /.well-known/immich`: where the API is.
///
/// Source: IM-3; contract of Immich, endpoints.
public struct ImmichWellKnown: Codable, Sendable, Equatable {
    /// The location of the API.
    public struct API: Codable, Sendable, Equatable {
        /// The path of the API on the server, or its complete address.
        public var endpoint: String
    }

    /// The location of the API.
    public var api: API

    /// Creates a response.
    public init(endpoint: String) {
        api = API(endpoint: endpoint)
    }
}

/// The response to `GET /server/ping`.
///
/// Source: IM-3; contract of Immich, endpoints.
public struct ImmichPing: Codable, Sendable, Equatable {
    /// The text `pong`.
    public var res: String

    /// Creates the response.
    public init() {
        res = "pong"
    }
}

/// The response to `GET /server/version`.
///
/// Source: IM-4; contract of Immich, b.17.
public struct ImmichVersion: Codable, Sendable, Equatable {
    /// The major version number.
    public var major: Int
    /// The minor version number.
    public var minor: Int
    /// The patch version number.
    public var patch: Int
    /// The number of the release candidate. Null for a release.
    @Nullable public var prerelease: Int?

    /// Creates the version of a release.
    public init(major: Int, minor: Int, patch: Int) {
        self.major = major
        self.minor = minor
        self.patch = patch
        _prerelease = Nullable(wrappedValue: nil)
    }

    /// The Immich version whose responses latchd implements.
    public static let spoken = ImmichVersion(major: 3, minor: 1, patch: 0)

    /// The version as text, such as `v3.1.0`.
    public var text: String { "v\(major).\(minor).\(patch)" }
}

/// The response to `GET /server/features`: the features of the server.
///
/// Source: IM-4; contract of Immich, endpoints.
public struct ImmichFeatures: Codable, Sendable, Equatable {
    /// Whether people can sign in through an identity provider.
    public var oauth: Bool
    /// Whether the browser opens the identity provider without waiting for a click.
    public var oauthAutoLaunch: Bool
    /// Whether people can sign in with e-mail and password.
    public var passwordLogin: Bool
    /// Whether the settings come from a configuration file.
    public var configFile: Bool
    /// Whether the server offers search.
    public var search: Bool
    /// Whether the server finds duplicates. latchd does not have this feature or those below. Older servers leave some
    /// of them out.
    public var duplicateDetection: Bool?
    /// Whether the server sends e-mail.
    public var email: Bool?
    /// Whether the server recognizes faces.
    public var facialRecognition: Bool?
    /// Whether the server imports faces from metadata.
    public var importFaces: Bool?
    /// Whether the server offers a map.
    public var map: Bool?
    /// Whether the server recognizes text in pictures.
    public var ocr: Bool?
    /// Whether the server transcodes videos during playback.
    public var realtimeTranscoding: Bool?
    /// Whether the server determines the names of places from coordinates.
    public var reverseGeocoding: Bool?
    /// Whether the server reads sidecar files.
    public var sidecar: Bool?
    /// Whether the server searches by the content of pictures.
    public var smartSearch: Bool?
    /// Whether the server has a trash for deleted assets.
    public var trash: Bool?

    /// Creates the response of a server that has no other features.
    public init(oauth: Bool, passwordLogin: Bool, search: Bool) {
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
/// Source: IM-4; contract of Immich, endpoints and b.24.
public struct ImmichConfig: Codable, Sendable, Equatable {
    /// The text of the button that opens the identity provider.
    public var oauthButtonText: String?
    /// The message on the sign-in page.
    public var loginPageMessage: String?
    /// The number of days for which deleted pictures are kept.
    public var trashDays: Int?
    /// The number of days for which removed accounts are kept.
    public var userDeleteDelay: Int?
    /// Whether at least one account exists.
    public var isInitialized: Bool?
    /// Whether the administrator has completed the introduction.
    public var isOnboarded: Bool?
    /// The public address of the server. Empty when it is not configured.
    public var externalDomain: String?
    /// Whether people can see each other.
    public var publicUsers: Bool?
    /// The address of the style of the dark map. Empty when there is none.
    public var mapDarkStyleUrl: String?
    /// The address of the style of the light map. Empty when there is none.
    public var mapLightStyleUrl: String?
    /// Whether the server is in maintenance mode.
    public var maintenanceMode: Bool?
    /// The number of pictures from which a face is listed as a person.
    public var minFaces: Int?

    /// Creates the response of a server that is not in maintenance mode.
    public init(oauthButtonText: String, isInitialized: Bool, externalDomain: String) {
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
