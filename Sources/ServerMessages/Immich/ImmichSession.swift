import HTTPMessages

/// A session as the person sees it, at `GET /sessions`.
///
/// Source: docs/protocols/immich.md, Sessions and Devices.
package struct ImmichSession: Codable, Sendable, Equatable {
    /// The id of the session.
    package var id: String
    /// When the person signed in.
    package var createdAt: String
    /// When the session was last used.
    package var updatedAt: String
    /// When the session expires unless it is used again.
    package var expiresAt: String?
    /// Whether this is the session of the request.
    package var current: Bool
    /// The name of the device or the browser. Empty when it is not known.
    package var deviceType: String
    /// The operating system of the device. Empty when it is not known.
    package var deviceOS: String
    /// The version of the app. Null when it is not known.
    @Nullable package var appVersion: String?
    /// Whether the app must synchronize everything again. Older servers leave it out.
    package var isPendingSyncReset: Bool?
    /// The token of a session that was just created. Never present in a list.
    package var token: String?

    /// Creates a session.
    package init(id: String, createdAt: String, updatedAt: String, current: Bool, deviceType: String, deviceOS: String)
    {
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
    package var description: String { "ImmichSession(\(id))" }

    /// A mirror without the token.
    package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
