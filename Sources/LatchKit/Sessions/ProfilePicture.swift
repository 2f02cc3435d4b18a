/// A person's profile picture.
///
/// Source: IM-6; docs/protocols/immich.md, The person.
public struct ProfilePicture: Sendable, Hashable {
    /// The maximum size in bytes: 1 MiB.
    package static let maximumBytes = 1 << 20

    /// The bytes of the file.
    public let bytes: [UInt8]
    /// The media type by the first bytes, such as `image/png`. What the server declares is ignored.
    public let mediaType: String

    /// Makes a picture from the bytes of a file. Returns nil when they do not begin like a JPEG, PNG, WebP or GIF file,
    /// or are more than ``maximumBytes``.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.maximumBytes, let type = ImageType(bytes) else { return nil }
        mediaType = type.rawValue
        self.bytes = bytes
    }
}

extension LatchClient {
    /// Returns the profile picture of an account's person. Nil when the person has none.
    ///
    /// The picture is stored with the account. The server is asked only when it has announced another version, which is
    /// noticed by ``Session/identity()``, ``Session/restore()`` and each sign-in. If it does not respond then, the
    /// stored picture is returned.
    ///
    /// - Throws: When no picture is stored: the errors of ``AuthorizedClient/send(_:_:headers:body:)``,
    ///   ``LatchError/Code/interceptedResponse`` when the response is not a picture of at most 1 MiB.
    ///
    /// Source: IM-6.
    public func profilePicture(of account: Account) async throws -> ProfilePicture? {
        try await session(for: account).profilePicture()
    }
}

extension Session {
    private static let pictureTimeout = Duration.seconds(5)

    /// Returns the person's profile picture; see ``LatchClient/profilePicture(of:)``.
    func profilePicture() async throws -> ProfilePicture? {
        guard let stored = try await accounts.storedPicture(of: accountID), let version = stored.announced,
            let id = stored.personID, let dialect = dialect as? any ProfilePictureDialect
        else { return nil }
        let known = stored.bytes.flatMap(ProfilePicture.init)
        if stored.version == version, let known { return known }
        do {
            var request = dialect.profilePicture(of: id)
            request.maximumBodyBytes = ProfilePicture.maximumBytes
            let (response, token) = try await perform(request) {
                try await self.exchange($0, $1, timeout: Self.pictureTimeout)
            }
            guard response.status.isSuccess, let picture = ProfilePicture(response.body) else {
                throw unrecognized(response)
            }
            try await accounts.store(picture, version: version, of: accountID, in: token.generation)
            return picture
        } catch let error as LatchError where error.code.leavesSessionUnknown {
            guard let known else { throw error }
            return known
        }
    }
}
