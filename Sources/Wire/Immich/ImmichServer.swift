/// The answer to `GET /.well-known/immich`: where the API is.
///
/// Source: IM-3; contract of Immich, endpoints.
public struct ImmichWellKnown: Codable, Sendable, Equatable {
    /// Where the API is.
    public struct API: Codable, Sendable, Equatable {
        /// A path of the server, or a whole address.
        public var endpoint: String
    }

    /// Where the API is.
    public var api: API

    /// Makes an answer.
    public init(endpoint: String) {
        api = API(endpoint: endpoint)
    }
}

/// The answer to `GET /server/ping`.
///
/// Source: IM-3; contract of Immich, endpoints.
public struct ImmichPing: Codable, Sendable, Equatable {
    /// `pong`.
    public var res: String

    /// Makes the answer.
    public init() {
        res = "pong"
    }
}

/// The answer to `GET /server/version`.
///
/// Source: IM-4; contract of Immich, b.17.
public struct ImmichVersion: Codable, Sendable, Equatable {
    /// The first number.
    public var major: Int
    /// The second number.
    public var minor: Int
    /// The third number.
    public var patch: Int
    /// The number of the release candidate.
    @Nullable public var prerelease: Int?

    /// Makes a version of a release.
    public init(major: Int, minor: Int, patch: Int) {
        self.major = major
        self.minor = minor
        self.patch = patch
        _prerelease = Nullable(wrappedValue: nil)
    }

    /// The version whose answers the gateway gives.
    public static let spoken = ImmichVersion(major: 3, minor: 1, patch: 0)

    /// `v3.1.0`.
    public var text: String { "v\(major).\(minor).\(patch)" }
}

/// The answer to `GET /server/features`: what the server can do.
///
/// Source: IM-4; contract of Immich, endpoints.
public struct ImmichFeatures: Codable, Sendable, Equatable {
    /// Whether people sign in through an identity provider.
    public var oauth: Bool
    /// Whether the browser goes there without being asked.
    public var oauthAutoLaunch: Bool
    /// Whether e-mail and password sign in.
    public var passwordLogin: Bool
    /// Whether settings come from a file.
    public var configFile: Bool
    /// Whether there is a search.
    public var search: Bool
    /// The rest, which a server of ours does not have; older servers leave some out.
    public var duplicateDetection: Bool?
    /// See ``duplicateDetection``.
    public var email: Bool?
    /// See ``duplicateDetection``.
    public var facialRecognition: Bool?
    /// See ``duplicateDetection``.
    public var importFaces: Bool?
    /// See ``duplicateDetection``.
    public var map: Bool?
    /// See ``duplicateDetection``.
    public var ocr: Bool?
    /// See ``duplicateDetection``.
    public var realtimeTranscoding: Bool?
    /// See ``duplicateDetection``.
    public var reverseGeocoding: Bool?
    /// See ``duplicateDetection``.
    public var sidecar: Bool?
    /// See ``duplicateDetection``.
    public var smartSearch: Bool?
    /// See ``duplicateDetection``.
    public var trash: Bool?

    /// Makes an answer of a server that can nothing else.
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

/// The answer to `GET /server/config`; in maintenance it may be ``maintenanceMode`` alone.
///
/// Source: IM-4; contract of Immich, endpoints and b.24.
public struct ImmichConfig: Codable, Sendable, Equatable {
    /// The text of the button that leads to the identity provider.
    public var oauthButtonText: String?
    /// What stands on the page of signing in.
    public var loginPageMessage: String?
    /// For how many days deleted pictures are kept.
    public var trashDays: Int?
    /// For how many days removed people are kept.
    public var userDeleteDelay: Int?
    /// Whether anybody has an account yet.
    public var isInitialized: Bool?
    /// Whether the administrator was shown around.
    public var isOnboarded: Bool?
    /// The address that the server is known by; empty where it does not say.
    public var externalDomain: String?
    /// Whether people see each other.
    public var publicUsers: Bool?
    /// The style of a dark map; empty for none.
    public var mapDarkStyleUrl: String?
    /// The style of a light map; empty for none.
    public var mapLightStyleUrl: String?
    /// Whether the server does nothing but say so.
    public var maintenanceMode: Bool?
    /// How many pictures make a face somebody.
    public var minFaces: Int?

    /// Makes an answer of a server at work.
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
