/// The response to `GET /notes/server`.
struct NotesServer: Codable {
    var name: String
}

/// The body of `POST /notes/sign-in`.
struct NotesCredentials: Codable {
    var email: String
    var password: String
}

/// The response to `POST /notes/sign-in`.
struct NotesToken: Codable {
    var token: String
}

/// The response to `GET /notes/me`.
struct NotesPerson: Codable {
    var id: String
    var email: String
}

/// Every error response.
struct NotesError: Codable {
    var error: String

    /// The error of a request with a token that has no session.
    static let sessionEnded = "session_ended"
}
