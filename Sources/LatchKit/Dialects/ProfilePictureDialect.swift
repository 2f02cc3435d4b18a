/// A family whose servers have profile pictures. Its identities have an ``Identity/pictureVersion``.
///
/// Source: IM-6.
package protocol ProfilePictureDialect: Dialect {
    /// Returns the request for the picture of the person with an id.
    func profilePicture(of id: String) -> DialectRequest
}
