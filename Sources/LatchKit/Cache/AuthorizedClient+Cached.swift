import FoundationEssentials
import HTTPClient
public import HTTPMessages

extension AuthorizedClient {
    /// Gets a resource, using a response that is stored on this device if possible.
    ///
    /// A stored response that is still fresh is returned without a request. Otherwise the request contains the stored
    /// `ETag` or date, so that the server can confirm the stored response. If the server cannot be reached or fails,
    /// the stored response is returned.
    ///
    /// Responses belong to the account. They are removed when its session ends and when another account becomes active,
    /// and replaced when the server sends a new one. Responses with `no-store` are never stored, nor are `Set-Cookie`
    /// fields.
    ///
    /// - Parameters:
    ///   - path: As for ``send(_:_:headers:body:)``. The method is `GET`.
    ///   - headers: Additional header fields. Stored responses are distinguished by the fields that the server lists in
    ///     `Vary`.
    /// - Returns: The response, its origin and its date.
    /// - Throws: The errors of ``send(_:_:headers:body:)``, but no network error when there is a stored response.
    ///
    /// Source: RM-9; RFC 9111 §4.
    public func cached(_ path: String, headers: HTTPHeaders = [:]) async throws -> CachedResponse {
        try await session.cached(DialectRequest(.get, path, headers: headers), in: session.accounts.cache)
    }

    /// Gets a small picture, using the one that is stored on this device if possible. It is stored apart from other
    /// responses and removed together with them; see ``cached(_:headers:)``.
    ///
    /// - Parameter path: As for ``send(_:_:headers:body:)``.
    /// - Returns: The response of the server with any status, or the stored one.
    /// - Throws: The errors of ``cached(_:headers:)``; ``LatchError/Code/responseTooLarge`` for more than
    ///   ``Thumbnail/maximumBytes``.
    package func thumbnail(_ path: String) async throws -> ClientResponse {
        var request = DialectRequest(.get, path, headers: ["Accept": "image/*"])
        request.maximumBodyBytes = Thumbnail.maximumBytes
        return try await session.cached(request, in: session.accounts.thumbnails).response
    }
}

extension Session {
    /// Returns the response to a `GET` request from a cache or the server; see ``AuthorizedClient/cached(_:headers:)``.
    func cached(_ get: DialectRequest, in cache: ResponseCache) async throws -> CachedResponse {
        let (address, headers) = (try server.url(of: get.path), get.headers)
        guard !Self.ownConditions.contains(where: { headers[$0] != nil }) else {
            let response = try await perform(get).response
            return CachedResponse(response: response, origin: .server, date: now())
        }
        guard let record = try await accounts.record(accountID), record.stage == .in else {
            throw try await recordEnd()
        }
        let asked = now()
        let (stored, mark) = await cache.find(address, for: accountID, request: headers, now: asked)
        // A date in the future means that the clock was set back, so the age of the response is not known. Dates are stored
        // as the nearest millisecond.
        if let stored, stored.date < asked.addingTimeInterval(0.001), asked < stored.freshUntil {
            return CachedResponse(response: stored.response, origin: .fresh, date: stored.date)
        }
        var request = get
        for field in stored?.conditions ?? [:] { request.headers[field.name] = field.value }
        let response: ClientResponse
        do {
            response = try await perform(request).response
            if response.status.rawValue >= 500, stored != nil { throw failing(response) }
        } catch let error as LatchError where error.code.leavesSessionUnknown {
            guard let stored else { throw error }
            return CachedResponse(response: stored.response, origin: .stale(error), date: stored.date)
        }
        return await store(response, of: address, to: headers, in: cache, previous: stored, since: mark)
    }

    /// A caller that sends one of these fields already has a response or wants only a part of one.
    private static let ownConditions = ["If-None-Match", "If-Modified-Since", "If-Match", "If-Range", "Range"]

    private func store(
        _ response: ClientResponse, of address: String, to headers: HTTPHeaders, in cache: ResponseCache,
        previous stored: StoredResponse?, since mark: ResponseCache.Mark
    ) async -> CachedResponse {
        let moment = now()
        if let stored, response.status.rawValue == 304 {
            let renewed = CacheRules.renewed(stored, by: response, now: moment)
            await cache.store(renewed, from: address, for: accountID, since: mark)
            return CachedResponse(response: renewed.response, origin: .revalidated, date: moment)
        }
        if let new = CacheRules.stored(response, to: headers, now: moment) {
            await cache.store(new, from: address, for: accountID, since: mark)
        } else if let stored {
            // The stored response is no longer current, and the new one may not be stored.
            await cache.removeResponse(stored, from: address, for: accountID)
        }
        return CachedResponse(response: response, origin: .server, date: moment)
    }
}
