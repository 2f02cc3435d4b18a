public import Wire

extension AuthorizedClient {
    /// Asks for something that may have been kept on this device: kept answers that still hold come at once, others are asked
    /// about with their `ETag` or date, and come from here when the server cannot be reached.
    ///
    /// What is kept belongs to the account, and goes when it signs out, when another account becomes the active one, and when
    /// the server says that the answer has changed. `no-store` is never kept, nor is `Set-Cookie`.
    ///
    /// - Parameters:
    ///   - path: As for ``send(_:_:headers:body:)``; the method is `GET`.
    ///   - headers: Further fields; what the server's `Vary` names of them tells answers apart.
    /// - Returns: The answer, where it came from and when.
    /// - Throws: As ``send(_:_:headers:body:)``, but nothing of the network when an answer is kept.
    ///
    /// Source: RM-9; RFC 9111 §4.
    public func cached(_ path: String, headers: HTTPHeaders = [:]) async throws -> CachedResponse {
        try await session.cached(path, headers)
    }
}

extension Session {
    func cached(_ path: String, _ headers: HTTPHeaders) async throws -> CachedResponse {
        let address = try server.url(of: path)
        guard !Self.ownConditions.contains(where: { headers[$0] != nil }) else {
            let answer = try await perform(DialectRequest(.get, path, headers: headers)).answer
            return CachedResponse(answer: answer, origin: .server, date: now())
        }
        guard let record = try await accounts.record(accountID), record.stage == .in else { throw try await noteEnd() }
        let asked = now()
        let (stored, mark) = await accounts.cache.find(accountID, address, headers, now: asked)
        if let stored, stored.date <= asked, asked < stored.freshUntil {
            return CachedResponse(answer: stored.answer, origin: .fresh, date: stored.date)
        }
        var request = DialectRequest(.get, path, headers: headers)
        for field in stored?.conditions ?? [:] { request.headers[field.name] = field.value }
        let answer: ClientResponse
        do {
            answer = try await perform(request).answer
            if answer.status.rawValue >= 500, stored != nil { throw failing(answer) }
        } catch let error as LatchError where error.code.leavesSessionUnknown {
            guard let stored else { throw error }
            return CachedResponse(answer: stored.answer, origin: .stale(error), date: stored.date)
        }
        return await keep(answer, of: address, headers, stored, mark)
    }

    /// Whoever sends these knows of an answer already, or wants a part of one.
    private static let ownConditions = ["If-None-Match", "If-Modified-Since", "If-Match", "If-Range", "Range"]

    private func keep(
        _ answer: ClientResponse, of address: String, _ headers: HTTPHeaders, _ stored: StoredResponse?,
        _ mark: ResponseCache.Mark
    ) async -> CachedResponse {
        let moment = now()
        if let stored, answer.status.rawValue == 304 {
            let renewed = CacheRules.renewed(stored, by: answer, now: moment)
            await accounts.cache.keep(accountID, address, renewed, since: mark)
            return CachedResponse(answer: renewed.answer, origin: .revalidated, date: moment)
        }
        if let new = CacheRules.stored(answer, to: headers, now: moment) {
            await accounts.cache.keep(accountID, address, new, since: mark)
        } else if let stored {
            await accounts.cache.forget(accountID, address, stored)
        }
        return CachedResponse(answer: answer, origin: .server, date: moment)
    }
}
