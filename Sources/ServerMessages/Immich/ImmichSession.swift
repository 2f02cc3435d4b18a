/// A session as the person sees it, at `GET /sessions`.
///
/// Source: contract of Immich, shapes and b.6.
public struct ImmichSession: Codable, Sendable, Equatable {
    /// The id of the session.
    public var id: String
    /// When the person signed in.
    public var createdAt: String
    /// When the session was last used.
    public var updatedAt: String
    /// When the session expires unless it is used again.
    public var expiresAt: String?
    /// Whether this is the session of the request.
    public var current: Bool
    /// The name of the device or the browser. Empty when it is not known.
    public var deviceType: String
    /// The operating system of the device. Empty when it is not known.
    public var deviceOS: String
    /// The version of the app. Null when it is not known.
    @Nullable public var appVersion: String?
    /// Whether the app must synchronize everything again. Older servers leave it out.
    public var isPendingSyncReset: Bool?
    /// The token of a session that was just created. Never present in a list.
    public var token: String?

    /// Creates a session.
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
    /// The name of the type and the id, without the token.
    public var description: String { "ImmichSession(\(id))" }

    /// A mirror without the token.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

/// The body of `POST /sessions`, which creates another session.
///
/// Source: contract of Immich, endpoints.
public struct ImmichSessionRequest: Codable, Sendable, Equatable {
    /// The lifetime in seconds. Nil for the lifetime of any other session.
    public var duration: Int?
    /// The name of the device.
    public var deviceType: String?
    /// The operating system of the device.
    public var deviceOS: String?

    /// Creates a request body.
    public init(duration: Int? = nil, deviceType: String? = nil, deviceOS: String? = nil) {
        self.duration = duration
        self.deviceType = deviceType
        self.deviceOS = deviceOS
    }
}
