@testable import Desktop
@testable import HTTPClient
@testable import HTTPMessages
@testable import LatchDownloads
@testable import LatchKit

extension FuzzedParser {
    static let immichClient = [
        // Everything that a client reads of a server that says it speaks Immich.
        FuzzedParser("immich-answers") { input in
            let (dialect, server) = (ImmichDialect(), try ServerAddress("https://photos.example.org"))
            for status in [200, 201, 400, 401, 404] {
                let response = ClientResponse(
                    status: HTTPStatus(rawValue: status), headers: ["Content-Type": "application/json"], body: input)
                if let place = ImmichEndpoint(response, from: server) {
                    try require(place.address.isEncrypted, "An encrypted address was left for another.")
                    try require(place.api.isEmpty || place.api.hasPrefix("/"), "A path does not begin with a slash.")
                    try require(
                        (try? place.address.url(of: place.api + "/server/ping")) != nil, "No request can be made there."
                    )
                }
                if let address = dialect.announcedAddress(in: response) {
                    try require(status < 300, "An address was taken from a refusal.")
                    try require(
                        (try? ServerAddress(address.url)) == address, "An announced address cannot be read again.")
                }
                if let grant = ImmichDialect.grant(in: response) {
                    try require(status < 300, "A token was taken from a refusal.")
                    try require(
                        HTTPHeaders.isSafe(name: "x-immich-user-token", value: grant.token.reveal()),
                        "No header can hold the token.")
                }
                if case .rejected = dialect.authenticationOutcome(of: response, to: "/api/albums", at: server) {
                    try require(status == 401, "Status \(status) ended a session.")
                }
                let error = dialect.refusal(response, server)
                try require(
                    !error.message.unicodeScalars.contains { $0.properties.generalCategory == .control },
                    "A message to people holds a control character of the server's.")
                _ = (dialect.match(response), dialect.identity(from: response), dialect.errorMessage(in: response))
            }
        },
        // The desktop's file of the person's folders.
        FuzzedParser("user-directories") { input in
            guard let path = UserFolder.pictures(in: input.text, home: "/home/ada") else { return }
            try require(path.hasPrefix("/"), "A path is not whole.")
        },
    ]
}
