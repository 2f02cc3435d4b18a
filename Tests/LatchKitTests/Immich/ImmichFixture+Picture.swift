import Synchronization

@testable import LatchKit

extension ImmichFixture {
    /// The bytes of a profile picture.
    static let picture = "GIF89a, the portrait of Ada"

    /// Serves a profile picture, and the time of the server.
    func servePicture(
        _ picture: @escaping @Sendable () -> (version: String, body: String, path: String),
        _ other: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Response? = { _ in nil }
    ) {
        immich.intercept { [immich = immich] request in
            if let response = other(request) { return response }
            switch request.path {
            case "/api/users/me" where immich.state.withLock({ $0.live[request.token ?? ""] != nil }):
                var response = immich.me
                response.headers.append("Date", "Fri, 15 Jan 2027 08:00:07 GMT")
                response.body = response.body
                    .replacing(#""profileImagePath":"""#, with: #""profileImagePath":"\#(picture().path)""#)
                    .replacing(
                        #""profileChangedAt":"2026-01-01T00:00:00.000Z""#,
                        with: #""profileChangedAt":"\#(picture().version)""#)
                return response
            case "/api/users/\(ImmichScript.me)/profile-image":
                // Immich declares every picture as JPEG.
                return ScriptedServer.Response(headers: ["Content-Type": "image/jpeg"], body: picture().body)
            default: return nil
            }
        }
    }
}
