/// Something that happened on the server. Events are hints: a program requests the current state itself, and after each
/// ``RealTimeUpdate/connected``, because events of the time without a connection are not repeated.
///
/// Source: IM-6; docs/protocols/immich.md, Real-time connection.
public enum RealTimeEvent: Sendable, Hashable {
    /// A session of the person was ended. If it was this one, the session ends as soon as the server confirms it.
    case sessionDeleted(id: String)
    /// A picture or video was added.
    case assetAdded(id: String)
    /// A picture or video, or its description, was changed.
    case assetChanged(id: String)
    /// Pictures or videos were deleted for good.
    case assetsDeleted(ids: [String])
    /// Pictures or videos were moved to the trash.
    case assetsTrashed(ids: [String])
    /// Pictures or videos were moved back from the trash.
    case assetsRestored(ids: [String])
    /// Pictures or videos are no longer listed by themselves, such as the video of a live photo.
    case assetsHidden(ids: [String])
    /// Stacks of pictures were changed.
    case stacksChanged
    /// The version of the server, such as `3.1.0`.
    case serverVersion(String)
    /// The server knows of a release, such as `3.2.0`. `isAvailable` is whether it is newer than the server.
    case newRelease(String, isAvailable: Bool)
    /// The operator changed the settings of the server.
    case configUpdated
    /// Any other event: its name, and its arguments as the text of a JSON array.
    case other(name: String, arguments: String)
}

/// An event of the server, or a change of the connection to it.
public enum RealTimeUpdate: Sendable, Hashable {
    /// The connection is open. Events before it may be missing.
    case connected
    /// The connection was lost, for the reason in the sentence. It reconnects automatically.
    case disconnected(String)
    /// The server sent an event.
    case event(RealTimeEvent)
}
