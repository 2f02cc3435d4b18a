import Crypto
package import FoundationEssentials
import GatewayCore
import HTTPMessages
package import HTTPServer
import Primitives
import Synchronization

/// The last form of each browser, for browsers that send a form twice.
///
/// After a double click Firefox sends a form twice, and shows only the second response. The first copy has then used up
/// what can be used once, such as a request of a client, so the person would see an error although the form took effect.
/// The second copy gets the response to the first one, if it arrives while the first one is answered or within
/// ``lifetime`` afterwards. It must be equal and come from the same browser. An error is not repeated, so each wrong
/// password counts.
///
/// The handler of the first copy runs to completion even if its connection closes, at most ``maximumRunning`` of them at a
/// time. Otherwise a browser or a proxy that closes it would leave the person with the old cookie of a session that the form
/// has ended or replaced. Its task has no preference for the event loop of the connection, so that the loop serves others
/// meanwhile.
///
/// A response may have the token of a new session. Only a request with the secrets of the first one gets it: the cookie of
/// the browser and the token of the form. Each gateway stores only the forms that were sent to itself.
package final class SentForms: Sendable {
    /// How long the response to a form is stored.
    package static let lifetime = Duration.seconds(3)
    /// The maximum number of browsers whose last form is stored. Forms of further browsers are answered and not stored.
    package static let capacity = 1_024
    /// The maximum length of the body of a response that is stored, in bytes.
    package static let maximumBody = 16_384
    /// The maximum number of handlers that run to completion. Further ones are cancelled with their connection.
    package static let maximumRunning = 64
    /// The maximum number of copies of a form that wait for the response to the first one. Further ones get 503.
    package static let maximumWaiting = 4

    private struct Sent {
        let content: SHA256Digest
        /// The browsers that get the response.
        var browsers: Set<SHA256Digest?>
        let outcome: Outcome
        /// When the response was there. Nil until then.
        var answered: Date?
    }

    private let sent = Mutex<[SHA256Digest: Sent]>([:])
    private let running = Atomic<Int>(0)
    private let cookie: SessionCookie?
    private let now: @Sendable () -> Date

    /// Creates an empty value.
    ///
    /// - Parameters:
    ///   - cookie: The cookie of signed-in browsers. Nil when browsers cannot sign in.
    ///   - now: The clock.
    package init(cookie: SessionCookie?, now: @escaping @Sendable () -> Date) {
        self.cookie = cookie
        self.now = now
    }

    /// Returns the response to the equal form that the same browser has just sent, or else that of `handler`.
    ///
    /// - Parameters:
    ///   - form: The form. Its token must be checked, so that a browser takes the place of one form only.
    ///   - isStored: Whether a copy that arrives after the response gets it too. If not, only copies that arrive before do.
    ///   - handler: Answers the form. It is not cancelled with the request.
    /// - Returns: The response.
    /// - Throws: The errors of `handler`; ``GatewayError/Code/busy`` when too many copies wait.
    package func response(
        to form: SentForm, isStored: Bool = true, _ handler: @escaping @Sendable () async throws -> ServerResponse
    ) async throws -> ServerResponse {
        let outcome = Outcome()
        // After an error of the first copy, the next one is answered by itself.
        while let earlier = earlier(form, or: outcome) {
            if let response = try await earlier.response() { return response }
        }
        do {
            let response = try await complete(handler)
            if isStored { store(response, to: form, outcome) } else { remove(form, outcome) }
            outcome.set(Self.isError(response) ? nil : response)
            return response
        } catch {
            remove(form, outcome)
            outcome.set(nil)
            throw error
        }
    }

    /// Runs a handler, which the end of the connection does not cancel unless too many run.
    private func complete(_ handler: @escaping @Sendable () async throws -> ServerResponse) async throws
        -> ServerResponse
    {
        defer { running.subtract(1, ordering: .relaxed) }
        guard running.add(1, ordering: .relaxed).newValue <= Self.maximumRunning else { return try await handler() }
        return try await Task { try await handler() }.value
    }

    /// Returns the response to the equal form that the same browser has just sent. Nil when there is none.
    ///
    /// For a form that is not valid any more, because the first copy of it took effect.
    ///
    /// - Throws: ``GatewayError/Code/busy`` when too many copies wait; `CancellationError`.
    package func repeated(_ form: SentForm) async throws -> ServerResponse? {
        try await sent.withLock { known(form, in: $0)?.outcome }?.response()
    }

    /// Returns the outcome of the same form, or nil after the form was recorded with `outcome`.
    private func earlier(_ form: SentForm, or outcome: Outcome) -> Outcome? {
        sent.withLock { sent in
            if let known = known(form, in: sent) { return known.outcome }
            // Below the maximum too, because the responses contain tokens of sessions.
            sent = sent.filter { isKnown($0.value) }
            if sent.count < Self.capacity || sent[form.token] != nil {
                sent[form.token] = Sent(content: form.content, browsers: [form.browser], outcome: outcome)
            }
            return nil
        }
    }

    private func known(_ form: SentForm, in sent: [SHA256Digest: Sent]) -> Sent? {
        guard let last = sent[form.token], last.content == form.content, last.browsers.contains(form.browser),
            isKnown(last)
        else { return nil }
        return last
    }

    private func isKnown(_ sent: Sent) -> Bool {
        guard let answered = sent.answered else { return true }
        let age = now().timeIntervalSince(answered)
        return age >= 0 && age < Self.lifetime.seconds
    }

    private func store(_ response: ServerResponse, to form: SentForm, _ outcome: Outcome) {
        guard !Self.isError(response), let size = response.body.bytes?.count, size <= Self.maximumBody else {
            return remove(form, outcome)
        }
        // The browser may have stored the cookie of the response before the second copy is sent.
        let cookies = cookie.map { cookie in
            response.headers.values("Set-Cookie").filter { $0.hasPrefix(cookie.name + "=") }.map(cookie.token)
        }
        let (now, browsers) = (now(), (cookies ?? []).map(SentForm.browser))
        sent.withLock { sent in
            guard sent[form.token]?.outcome === outcome else { return }
            sent[form.token]?.answered = now
            sent[form.token]?.browsers.formUnion(browsers)
        }
    }

    private static func isError(_ response: ServerResponse) -> Bool { response.status.rawValue >= 400 }

    private func remove(_ form: SentForm, _ outcome: Outcome) {
        sent.withLock { if $0[form.token]?.outcome === outcome { $0[form.token] = nil } }
    }

    /// The response to a form, for which the second copy may wait.
    private final class Outcome: Sendable {
        private struct State {
            var isOver = false
            var response: ServerResponse?
            var waiters: [Int: CheckedContinuation<ServerResponse?, any Error>] = [:]
            var lastWaiter = 0
        }

        private let state = Mutex(State())

        /// Returns the response as soon as it is there. Nil when that is an error.
        ///
        /// - Throws: ``GatewayError/Code/busy`` when too many copies wait; `CancellationError`.
        func response() async throws -> ServerResponse? {
            let number = state.withLock { state in
                state.lastWaiter += 1
                return state.lastWaiter
            }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let result: Result<ServerResponse?, any Error>? = state.withLock { state in
                        if state.isOver { return .success(state.response) }
                        if Task.isCancelled { return .failure(CancellationError()) }
                        guard state.waiters.count < SentForms.maximumWaiting else {
                            return .failure(
                                GatewayError(.busy, "The same form is already being answered; wait a moment."))
                        }
                        state.waiters[number] = continuation
                        return nil
                    }
                    if let result { continuation.resume(with: result) }
                }
            } onCancel: {
                state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(throwing: CancellationError())
            }
        }

        func set(_ response: ServerResponse?) {
            let waiters = state.withLock { state in
                (state.isOver, state.response) = (true, response)
                defer { state.waiters = [:] }
                return state.waiters.values
            }
            for waiter in waiters { waiter.resume(returning: response) }
        }
    }
}
