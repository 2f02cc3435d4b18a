import FoundationEssentials

extension LatchClient {
    /// Returns the other addresses at which an account's server can be reached.
    ///
    /// Source: IM-13.
    public func endpoints(of account: Account) async throws -> EndpointSettings {
        try await accounts.endpoints(of: account.id)
    }

    /// Adds an address at which an account's server can be reached. Its identity is checked first.
    ///
    /// Sessions in this program and in others use the address from their next request on, if it is preferred or the
    /// others fail. The account's own address continues to identify the account.
    ///
    /// - Parameters:
    ///   - address: The address. It must be encrypted, or on this machine.
    ///   - isLocal: Whether it is the address in the local network. An account has at most one.
    ///   - connection: How to connect. Nothing of the account's own options applies to another address.
    ///   - account: The account. It must be signed in.
    /// - Throws: ``LatchError/Code/invalidRequest`` for an address that is not encrypted, that exists already, or that
    ///   exceeds the limit of 16; ``LatchError/Code/notOffered`` when the sessions of the account come from another
    ///   server; ``LatchError/Code/serverRefused`` for another server or person; the errors of
    ///   ``Session/identity()``, of the network, of the secret store and of the storage. Nothing is stored then.
    ///
    /// Source: IM-13, IM-14.
    public func addEndpoint(
        _ address: ServerAddress, isLocal: Bool = false, connection: ConnectionOptions = .init(), to account: Account
    ) async throws {
        let session = try session(for: account)
        guard session.dialect.identity.base == nil else {
            throw LatchError(
                .notOffered,
                "The sessions of \(account.serverURL) come from \(session.dialect.identity.base ?? account.serverURL), "
                    + "so another address of the server cannot be checked, and none was added.")
        }
        guard address.isEncrypted || address.isLoopback else {
            throw LatchError(
                .invalidRequest,
                "\(address) is not encrypted, so the session's token is not sent to it. Use an https address.")
        }
        guard address != account.serverURL else {
            throw LatchError(.invalidRequest, "\(address) is the account's own address, which is always used last.")
        }
        let split = StoredConnection(connection, replacing: nil)
        let endpoint = Endpoint(id: UUID(), address: address, connection: split.record)
        let person = try await session.identity().id
        try await session.check(endpoint, with: connection, person: person)
        try await accounts.add(endpoint, isLocal: isLocal, person: person, secret: split.secret, to: account.id)
    }

    /// Removes an address. Requests use the remaining ones from then on.
    ///
    /// - Throws: ``LatchError/Code/invalidRequest`` when the account has no such address; a code of the secret store
    ///   or the storage, in which case the address is kept.
    public func removeEndpoint(_ address: ServerAddress, of account: Account) async throws {
        guard let endpoint = try await endpoints(of: account).all.first(where: { $0.address == address }) else {
            throw Self.unknown(address, of: account)
        }
        try await accounts.removeSecrets(of: [endpoint])
        _ = try await accounts.changeEndpoints(of: account.id) { $0.remove(address) }
    }

    /// Makes an address the first of the external ones.
    ///
    /// - Throws: ``LatchError/Code/invalidRequest`` when the account has no such address.
    public func preferEndpoint(_ address: ServerAddress, of account: Account) async throws {
        try await accounts.changeEndpoints(of: account.id) { settings in
            guard settings.prefer(address) else { throw Self.unknown(address, of: account) }
        }
    }

    /// Adds the name of a Wi-Fi network on which the local address is preferred. Adding it again has no effect.
    ///
    /// - Throws: ``LatchError/Code/invalidRequest`` for an empty name, one of more than 32 bytes, or the 33rd name.
    ///
    /// Source: IEEE 802.11, SSID; IM-13.
    public func addWifiName(_ name: String, of account: Account) async throws {
        guard (1...32).contains(name.utf8.count) else {
            throw LatchError(.invalidRequest, "The name of a Wi-Fi network has 1 to 32 bytes. Check the name.")
        }
        try await accounts.changeEndpoints(of: account.id) { settings in
            guard !settings.wifiNames.contains(name) else { return }
            guard settings.wifiNames.count < EndpointSettings.maximumNames else {
                throw LatchError(
                    .invalidRequest,
                    "An account can have \(EndpointSettings.maximumNames) Wi-Fi networks at most. Remove one first.")
            }
            settings.wifiNames.append(name)
        }
    }

    /// Removes the name of a Wi-Fi network.
    ///
    /// - Throws: ``LatchError/Code/invalidRequest`` when the account does not have the name.
    public func removeWifiName(_ name: String, of account: Account) async throws {
        try await accounts.changeEndpoints(of: account.id) { settings in
            guard let index = settings.wifiNames.firstIndex(of: name) else {
                throw LatchError(
                    .invalidRequest, "The account has no Wi-Fi network '\(SanitizedText.clean(name))'. List them first."
                )
            }
            settings.wifiNames.remove(at: index)
        }
    }

    /// Checks whether an endpoint can be used now, as before every use.
    ///
    /// - Throws: ``LatchError/Code/serverRefused`` for another server or person, or a code of the network.
    public func testEndpoint(_ endpoint: Endpoint, of account: Account) async throws {
        let person = try await endpoints(of: account).person
        let options = try await accounts.connection(of: endpoint)
        try await session(for: account).check(endpoint, with: options, person: person)
    }

    /// Returns the public address that the server announces. Nil when it announces none, or one that the account has
    /// already. It is only a suggestion, and is never used unless it is added.
    ///
    /// - Throws: The errors of ``AuthorizedClient/send(_:_:headers:body:)``.
    public func announcedAddress(of account: Account) async throws -> ServerAddress? {
        let session = try session(for: account)
        guard let dialect = session.dialect as? any AddressAnnouncingDialect,
            let address = dialect.announcedAddress(in: try await session.client.send(dialect.announcement)),
            address != account.serverURL
        else { return nil }
        return try await endpoints(of: account).all.contains { $0.address == address } ? nil : address
    }

    /// Checks whether the account's own address can be used now.
    ///
    /// - Throws: As ``testEndpoint(_:of:)``.
    package func testOwnAddress(of account: Account) async throws {
        let person = try await endpoints(of: account).person ?? account.personID
        try await session(for: account).checkOwnAddress(person: person)
    }

    private static func unknown(_ address: ServerAddress, of account: Account) -> LatchError {
        let reason =
            address == account.serverURL
            ? "\(address) is the account's own address, which is always used last and cannot be preferred or removed."
            : "The account has no address \(address)."
        return LatchError(.invalidRequest, reason, remedy: .showAddresses)
    }
}
