import HTTPMessages

extension ImmichDialect: ProfilePictureDialect {
    /// Returns `GET /users/{id}/profile-image`.
    ///
    /// Source: docs/protocols/immich.md, The person.
    package func profilePicture(of id: String) -> DialectRequest {
        DialectRequest(.get, "\(api)/users/\(PercentEncoding.encode(id))/profile-image")
    }
}
