import HTTPClient

/// A client for one address of an account's server.
struct Transport: Sendable {
    /// The client, with the connection options of the address.
    let client: HTTPClient
    /// The address: the account's own or an endpoint.
    let address: ServerAddress
    /// The connection options and the endpoints of the account's row for which this transport was chosen.
    let connection: String
    let endpoints: String?
    /// The response to the identity request of the race that this transport has just won. Nil later.
    var identity: ClientResponse?

    init(_ client: HTTPClient, to address: ServerAddress, for record: SessionRecord) {
        self.client = client
        self.address = address
        (connection, endpoints) = (record.connection, record.endpoints)
    }

    /// Whether the row has not changed since.
    func isCurrent(_ record: SessionRecord) -> Bool {
        connection == record.connection && endpoints == record.endpoints
    }
}

extension SessionRecord {
    /// Whether the server of another record is reached at the same addresses with the same options.
    func hasAddresses(of other: SessionRecord) -> Bool {
        connection == other.connection && endpoints == other.endpoints
    }
}

extension ResumePoint {
    /// Returns this point with the bytes that a part holds now. Nil when the rest cannot be requested.
    func continued(at part: DownloadPart) -> ResumePoint? {
        var point = self
        point.count = part.count
        return point.canResume ? point : nil
    }
}
