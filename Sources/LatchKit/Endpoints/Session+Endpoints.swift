import Crypto
import Desktop
import HTTPClient

extension Session {
    /// The timeout for a candidate's response.
    private static let checkTimeout = Duration.seconds(10)

    /// Returns a transport to the address in use. It is kept until the connection options or the endpoints change.
    /// Candidates are checked with `token`, or with the cached token if it is nil.
    func openTransport(for token: Secret? = nil) async throws -> Transport {
        while true {
            guard let record = try await accounts.record(accountID) else { throw signedOutError(.notSignedIn) }
            if let transport, transport.isCurrent(record) { return transport }
            let chosen: Transport
            if record.endpoints == nil {
                chosen = try await ownTransport(record)
            } else if let token = token ?? held?.token {
                let winner = try await select(record, token)
                chosen = if let winner { winner } else { try await ownTransport(record) }
            } else {
                // Without a token nothing can be checked, so this is not kept.
                return try await ownTransport(record)
            }
            // Another call may have opened it during the await.
            if let transport, transport.isCurrent(record) { return transport }
            // Another call may have replaced the race by one between other addresses.
            guard chosen.isCurrent(record) else { continue }
            use(chosen)
            return chosen
        }
    }

    /// Performs an exchange at the address in use. If the request asks for the identity and an address was selected for
    /// it, the response to that address' check is returned.
    ///
    /// After a transport failure, another address is selected. The exchange is repeated there if that is safe. Only
    /// the account's own address decides about the session: when another address rejects the token, the exchange is
    /// repeated at the account's own.
    func routed(
        _ request: DialectRequest, _ token: Secret?, by given: Transport? = nil,
        _ exchange: (Transport) async throws -> ClientResponse
    ) async throws -> ClientResponse {
        let epoch = machine.epoch
        // A sign-out has selected its address, and has no time for another race.
        let transport = if let given { given } else { try await openTransport(for: leaving == nil ? token : nil) }
        do {
            let response = try await self.response(to: request, by: transport, exchange)
            if transport.address == server, epoch == machine.epoch { rejectingAddress = nil }
            guard isRejected(response, to: request, by: transport) else { return response }
        } catch let error as LatchError where transport.endpoints != nil && request.base == nil {
            guard Self.transportFailures.contains(error.code) else { throw error }
            guard let other = try await replacement(of: transport, token) else {
                throw unconfirmedRejection(error, in: epoch)
            }
            guard error.allowsRepeating(request) else { throw error }
            return try await response(to: request, by: other, exchange)
        }
        let own = try await ownTransport(of: transport)
        if epoch == machine.epoch {
            use(own, outcome: "rejected")
            rejectingAddress = transport.address
        }
        do {
            let response = try await exchange(own)
            if epoch == machine.epoch { rejectingAddress = nil }
            return response
        } catch let error as LatchError where Self.transportFailures.contains(error.code) {
            throw unconfirmedRejection(error, in: epoch)
        }
    }

    /// Returns the error for a request of an epoch that the account's own address did not answer. If another address has
    /// rejected the session, the error and the state say so.
    private func unconfirmedRejection(_ error: LatchError, in epoch: Int) -> LatchError {
        guard let rejectingAddress, epoch == machine.epoch else { return error }
        machine.unanswered(.rejectionUnconfirmed, in: epoch)
        publish()
        return LatchError(
            .rejectionUnconfirmed,
            "\(rejectingAddress) does not accept the session any more, and \(server), which alone can confirm this, "
                + "cannot be reached. Try again when it can.\(Self.stays)", cause: error)
    }

    private func response(
        to request: DialectRequest, by transport: Transport, _ exchange: (Transport) async throws -> ClientResponse
    ) async throws -> ClientResponse {
        if let identity = transport.identity, request == dialect.identity { return identity }
        return try await exchange(transport)
    }

    /// Returns the address of the server that sent a response.
    func address(of response: ClientResponse) -> ServerAddress {
        guard let transport, response.url.hasPrefix(transport.address.url + "/") else { return server }
        return transport.address
    }

    /// Closes the connections and ends the watch of the network.
    func closeTransport() async {
        network?.watch.cancel()
        network = nil
        await selector.cancel()
        await transport?.client.close()
        transport = nil
    }

    /// Checks that an address reaches the account's server, signed in as the same person.
    ///
    /// - Parameters:
    ///   - transport: The transport to the address.
    ///   - token: The session's token. It is sent only after the TLS handshake under the address' own trust settings.
    ///   - person: The id of the person.
    ///   - onRejection: Called when the address rejects the session.
    /// - Returns: The response.
    /// - Throws: ``LatchError/Code/serverRefused`` for another server or person, or a code of the network.
    @discardableResult
    func checkIdentity(
        through transport: Transport, _ token: Secret, person: String?, onRejection: () -> Void = {}
    ) async throws -> ClientResponse {
        let address = transport.address
        // Half of the time of a sign-out is left for the sign-out itself.
        let limit = leaving == nil ? Self.checkTimeout : accounts.revocationTimeout / 2
        let timeout = min(accounts.requestTimeout(), limit)
        let response = try await proofs.sending {
            try message(dialect.identity, token, timeout: timeout, by: transport)
        } by: { message in
            try await LatchError.converting(address) { try await transport.client.send(message) }
        }
        switch dialect.authenticationOutcome(of: response, to: dialect.identity.path, at: address) {
        case .intercepted(let why): throw interceptionError(why, for: address)
        case .failing: throw failing(response, at: address)
        case .rejected:
            onRejection()
            throw LatchError(
                .serverRefused,
                address == server
                    ? "\(address) does not accept the session any more. Sign in again."
                    : "\(address) does not accept the session of \(server). It is probably another server.",
                status: response.status)
        case .authenticated: break
        }
        guard response.status == .ok else { throw refused(response, by: address) }
        guard let found = dialect.identity(from: response) else {
            throw interceptionError("it has an unexpected format.", for: address)
        }
        guard found.id == person || address == server && person == nil else {
            throw LatchError(
                .serverRefused,
                "\(address) reports a different person from \(server). It is a different server or account.")
        }
        return response
    }

    /// Checks that an endpoint can be used. A request without the token comes first, so that only a server of the
    /// family receives it.
    ///
    /// - Throws: ``LatchError/Code/unsupportedServer`` when no server of the family responds, and the errors of
    ///   ``checkIdentity(through:_:person:)``.
    func check(_ endpoint: Endpoint, with options: ConnectionOptions, person: String?) async throws {
        let (token, record) = try await present()
        let transport = try transport(to: endpoint, with: options, for: record)
        try await transport.client.closeAfter { client in
            let timeout = min(accounts.requestTimeout(), Self.checkTimeout)
            let probe = try message(dialect.probe, nil, timeout: timeout, by: transport)
            let response = try await LatchError.converting(endpoint.address) { try await client.send(probe) }
            if case .notRecognized(let reason) = dialect.match(response) {
                throw LatchError(
                    .unsupportedServer, "\(endpoint.address) is not a server of \(dialect.title): \(reason).")
            }
            try await checkIdentity(through: transport, token.token, person: person)
        }
    }

    /// Checks that the account's own address can be used, as ``check(_:with:person:)`` does for an endpoint.
    func checkOwnAddress(person: String?) async throws {
        let (token, record) = try await present()
        try await checkIdentity(through: try await ownTransport(record), token.token, person: person)
    }

    private func transport(
        to endpoint: Endpoint, with options: ConnectionOptions, for record: SessionRecord
    ) throws -> Transport {
        let client = try options.client(userAgent: device.userAgent, home: endpoint.address)
        return Transport(client, to: endpoint.address, for: record)
    }

    private func ownTransport(_ record: SessionRecord) async throws -> Transport {
        if let transport, transport.isCurrent(record), transport.address == server { return transport }
        let options = try await accounts.connection(of: accountID)
        // The previous client closes itself after its last request.
        return Transport(try options.client(userAgent: device.userAgent, home: server), to: server, for: record)
    }

    private func ownTransport(of other: Transport) async throws -> Transport {
        guard let record = try await accounts.record(accountID) else { throw signedOutError(.notSignedIn) }
        return try await ownTransport(record)
    }

    /// Makes a transport the one in use, and logs the switch to another address.
    private func use(_ new: Transport, outcome: String = "ok") {
        if new.address != transport?.address ?? server {
            accounts.log.record(.endpoint, at: new.address, outcome: outcome)
        }
        transport = new
        transport?.identity = nil
    }

    private func isRejected(_ response: ClientResponse, to request: DialectRequest, by transport: Transport) -> Bool {
        guard transport.address != server, request.base == nil, response.redirection?.isOtherOrigin != true else {
            return false
        }
        let path = request.path.hasPrefix("/") ? request.path : String(request.path.dropFirst(server.url.count))
        guard case .rejected = dialect.authenticationOutcome(of: response, to: path, at: transport.address) else {
            return false
        }
        return true
    }

    /// The failures after which another address is selected.
    static let transportFailures: Set<LatchError.Code> = LatchError.Code.beforeSending.union([
        .timedOut, .connectionLost,
    ])
}

extension Session {
    /// Selects an address. Callers that need one of the same addresses at the same time share one race. Only the first
    /// gets the response to the identity request, because the token of another may be newer.
    private func select(_ record: SessionRecord, _ token: Secret) async throws -> Transport? {
        if let selecting, selecting.record.hasAddresses(of: record) {
            var transport = try await selecting.race.value
            transport?.identity = nil
            return transport
        }
        let task = Task { try await race(record, token) }
        selecting = (record, task)
        defer { if selecting?.race == task { selecting = nil } }
        return try await task.value
    }

    /// Runs a race between the candidates. Nil when none can be used.
    private func race(_ record: SessionRecord, _ token: Secret) async throws -> Transport? {
        let epoch = machine.epoch
        rejectingAddress = nil
        let settings = try AccountStore.endpoints(record.endpoints)
        let candidates = settings.candidates(on: await wifiName(isNeeded: !settings.wifiNames.isEmpty))
        return await selector.select(candidates.count + 1) { [weak self] number in
            let endpoint = number < candidates.count ? candidates[number] : nil
            return try? await self?.checked(endpoint, token, person: settings.person, record, in: epoch)
        }?.transport
    }

    /// Returns a transport to a candidate that can be used. Nil as the candidate means the account's own address.
    private func checked(
        _ endpoint: Endpoint?, _ token: Secret, person: String?, _ record: SessionRecord, in epoch: Int
    ) async throws -> Transport {
        var transport =
            if let endpoint {
                try transport(to: endpoint, with: try await accounts.connection(of: endpoint), for: record)
            } else { try await ownTransport(record) }
        transport.identity = try await checkIdentity(through: transport, token, person: person) {
            if let endpoint, epoch == machine.epoch { rejectingAddress = endpoint.address }
        }
        return transport
    }

    /// Returns the transport to use after a failure. Nil when no address can be used.
    func replacement(of failed: Transport, _ token: Secret?) async throws -> Transport? {
        guard leaving == nil, let record = try await accounts.record(accountID) else { return nil }
        // Another request may have failed before, and selected another transport. If the addresses were changed, the
        // transport in use may be older than this failure, so it must at least lead to another address.
        if let transport, transport.client !== failed.client, transport.isCurrent(record),
            failed.isCurrent(record) || transport.address != failed.address
        {
            return transport
        }
        guard let token = token ?? held?.token, let winner = try await select(record, token) else { return nil }
        if transport?.client === failed.client { use(winner) }
        return winner
    }

    /// Returns the name of the Wi-Fi network, and watches the network from the first call on. Nil without waiting for the
    /// name when it is not needed.
    private func wifiName(isNeeded: Bool) async -> String? {
        if network == nil {
            let first = SharedTask<Void>()
            let states = accounts.network()
            let watch = Task { [weak self] in
                var iterator = states.makeAsyncIterator()
                let state = await iterator.next()
                await self?.record(state)
                first.complete(.success(()))
                while self != nil, let state = await iterator.next() { await self?.networkChanged(to: state) }
            }
            network = (nil, watch, first)
        }
        guard isNeeded else { return nil }
        try? await network?.first.value()
        return network?.state?.wifiName
    }

    private func record(_ state: NetworkState?) { network?.state = state }

    /// Selects an address again after a change of the network.
    private func networkChanged(to state: NetworkState) async {
        record(state)
        guard state.isConnected, leaving == nil, transport?.endpoints != nil, let token = held?.token else { return }
        guard let record = try? await accounts.record(accountID), record.endpoints != nil,
            let winner = try? await race(record, token), network != nil, leaving == nil
        else { return }
        use(winner)
    }
}
