/// A session as its person sees it, at `GET /sessions`.
///
/// Source: contract of Immich, shapes and b.6.
public struct ImmichSession: Codable, Sendable, Equatable {
    /// The id.
    public var id: String
    /// When the person signed in.
    public var createdAt: String
    /// When the session was last used.
    public var updatedAt: String
    /// When it ends if it is not used again.
    public var expiresAt: String?
    /// Whether it is the session of the request.
    public var current: Bool
    /// What the device or the browser is called; empty where nothing is known.
    public var deviceType: String
    /// The system of the device; empty where nothing is known.
    public var deviceOS: String
    /// The version of the app.
    @Nullable public var appVersion: String?
    /// Whether the app shall fetch everything anew; older servers leave it out.
    public var isPendingSyncReset: Bool?
    /// The token of a session that was made just now; never in a list.
    public var token: String?

    /// Makes a session.
    public init(id: String, createdAt: String, updatedAt: String, current: Bool, deviceType: String, deviceOS: String) {
        self.id = id
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.current = current
        self.deviceType = deviceType
        self.deviceOS = deviceOS
        _appVersion = Nullable(wrappedValue: nil)
    }
}

extension ImmichSession: CustomStringConvertible, CustomReflectable {
    /// The id; a token is never described.
    public var description: String { "ImmichSession(\(id))" }

    /// A mirror without the token.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

/// The body of `POST /sessions`: a further session beside the one of the request.
///
/// Source: contract of Immich, endpoints.
public struct ImmichSessionRequest: Codable, Sendable, Equatable {
    /// For how many seconds it lives; nil as long as any.
    public var duration: Int?
    /// What its device is called.
    public var deviceType: String?
    /// The system of its device.
    public var deviceOS: String?

    /// Makes a body.
    public init(duration: Int? = nil, deviceType: String? = nil, deviceOS: String? = nil) {
        self.duration = duration
        self.deviceType = deviceType
        self.deviceOS = deviceOS
    }
}
