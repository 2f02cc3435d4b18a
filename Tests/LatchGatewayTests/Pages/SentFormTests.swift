import FoundationEssentials
import HTTPMessages
import HTTPServer
import Primitives
import Synchronization
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// Forms that a browser sends twice, as Firefox does after a double click: the memory of a gateway.
@Suite("Forms that are sent twice", .timeLimit(.minutes(20))) final class SentFormTests: Sendable {
    private let clock = TestClock()
    private let count = Mutex(0)
    private let forms: SentForms

    init() {
        let cookie = SessionCookie(PublicAddress(nil, isTLS: false), GatewaySettings(databasePath: nil))
        forms = SentForms(cookie: cookie, now: { [clock] in clock.now })
    }

    private func form(
        _ fields: String = "x=1", path: String = "/a", token: String = "one", cookie: String? = "cookie"
    ) -> SentForm {
        SentForm(path: path, fields: Array(fields.utf8), token: token, of: cookie)
    }

    /// Sends a form, which is answered with the number of forms that had an effect.
    private func send(
        _ form: SentForm, status: HTTPStatus = .ok, size: Int = 1, cookie: String? = nil
    ) async throws -> String? {
        let response = try await forms.response(to: form) { [self] in
            await Task.yield()
            var headers: HTTPHeaders = ["X-Number": "\(next())"]
            if let cookie { headers.append("Set-Cookie", "latchd_session=\(cookie); Path=/; HttpOnly") }
            return ServerResponse(status: status, headers: headers, body: [UInt8](repeating: 0, count: size))
        }
        return response.headers["X-Number"]
    }

    private func next() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }

    @Test("a form that is sent twice in succession has one effect and one response, for a few seconds")
    func twice() async throws {
        #expect(try await send(form()) == "1")
        #expect(try await send(form()) == "1")
        #expect(try await forms.repeated(form())?.headers["X-Number"] == "1")
        clock.advance(SentForms.lifetime.seconds)
        #expect(try await forms.repeated(form()) == nil)
        #expect(try await send(form()) == "2")
    }

    @Test(
        "a form that is sent several times at the same time has one effect and one response, and an error is not repeated"
    )
    func atOnce() async throws {
        let wrong = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0...SentForms.maximumWaiting {
                group.addTask { try await self.send(self.form(), status: .forbidden) }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(wrong.count == SentForms.maximumWaiting + 1)
        let right = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0...SentForms.maximumWaiting { group.addTask { try await self.send(self.form("y=1")) } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(right.count == 1)
    }

    @Test("another form, path, token and browser have an effect of their own, and so has a form after another one")
    func others() async throws {
        #expect(try await send(form()) == "1")
        #expect(try await send(form(token: "two")) == "2")
        #expect(try await send(form(path: "/b")) == "3")
        #expect(try await send(form("x=2", path: "/b")) == "4")
        #expect(try await send(form()) == "5")
        #expect(try await forms.repeated(form(cookie: "another cookie")) == nil)
        #expect(try await forms.repeated(form(cookie: nil)) == nil)
        #expect(try await send(form(cookie: "another cookie")) == "6")
    }

    @Test("the cookie that the response sets, or deletes, is the same browser")
    func cookieOfResponse() async throws {
        #expect(try await send(form(), cookie: "new") == "1")
        #expect(try await forms.repeated(form(cookie: "new"))?.headers["X-Number"] == "1")
        #expect(try await forms.repeated(form(cookie: nil)) == nil)
        #expect(try await send(form("out=1", token: "two"), cookie: "") == "2")
        #expect(try await forms.repeated(form("out=1", token: "two", cookie: nil))?.headers["X-Number"] == "2")
        #expect(try await forms.repeated(form("out=1", token: "two", cookie: "new")) == nil)
    }

    /// Sends a form whose handler waits for `end`, and then fails if `fails` or if it was cancelled. Returns when it waits.
    private func sendHeld(
        _ form: SentForm, isStored: Bool = true, fails: Bool = false
    ) async -> (response: Task<ServerResponse, any Error>, end: @Sendable () -> Void) {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let response = Task { [self] in
            try await forms.response(to: form, isStored: isStored) { [self] in
                start.finish()
                for await _ in ended {}
                try Task.checkCancellation()
                if fails { throw GatewayError(.busy, "") }
                return ServerResponse(status: .ok, headers: ["X-Number": "\(next())"], body: [])
            }
        }
        for await _ in started {}
        return (response, { end.finish() })
    }

    @Test("a form whose first copy is cancelled takes effect once, and the second copy gets the response")
    func cancelled() async throws {
        let first = await sendHeld(form())
        first.response.cancel()
        let second = Task { try await send(form()) }
        first.end()
        #expect(try await second.value == "1")
        _ = try await first.response.value
        #expect(try await forms.repeated(form())?.headers["X-Number"] == "1")
    }

    /// Sends copies of a form. `refusals` has an element for each that fails.
    private func sendCopies(
        _ count: Int
    ) -> (copies: [Task<String?, any Error>], refusals: AsyncStream<Void>.Iterator) {
        let (refused, refuse) = AsyncStream.makeStream(of: Void.self)
        let copies = (0..<count).map { _ in
            Task {
                do {
                    return try await send(form())
                } catch {
                    refuse.yield()
                    throw error
                }
            }
        }
        return (copies, refused.makeAsyncIterator())
    }

    @Test("a response that is not stored is for the copies that arrive before it")
    func unstored() async throws {
        let first = await sendHeld(form(), isStored: false)
        var (copies, refusals) = sendCopies(SentForms.maximumWaiting + 1)
        // One copy is refused as soon as all others wait.
        await refusals.next()
        first.end()
        var numbers: [String?] = []
        for copy in copies { if case .success(let number) = await copy.result { numbers.append(number) } }
        #expect(numbers == Array(repeating: "1", count: SentForms.maximumWaiting))
        #expect(try await forms.repeated(form()) == nil)
        #expect(try await send(form()) == "2")
    }

    @Test("a few copies wait for the first one, further ones get an error, and one whose connection closes leaves")
    func waiting() async throws {
        let first = await sendHeld(form())
        var (copies, refusals) = sendCopies(2 * SentForms.maximumWaiting)
        for _ in 0..<SentForms.maximumWaiting { await refusals.next() }
        // Four copies wait now, and the others got the error. When the four are cancelled, another one can wait.
        for copy in copies { copy.cancel() }
        for _ in 0..<SentForms.maximumWaiting { await refusals.next() }
        for copy in copies { await #expect(throws: (any Error).self) { try await copy.value } }
        let last = Task { try await send(form()) }
        first.end()
        #expect(try await last.value == "1")
        _ = try await first.response.value
    }

    @Test("beyond the maximum of running forms, a form is cancelled with its connection")
    func running() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let running = (0...SentForms.maximumRunning).map { number in
            Task { [self] in
                try await forms.response(to: form(token: "\(number)")) {
                    start.yield()
                    for await _ in ended {}
                    try Task.checkCancellation()
                    return ServerResponse(status: .ok, headers: [:], body: [])
                }
            }
        }
        var starts = started.makeAsyncIterator()
        for _ in running { await starts.next() }
        for task in running { task.cancel() }
        end.finish()
        var cancelled = 0
        for task in running { if case .failure = await task.result { cancelled += 1 } }
        #expect(cancelled == 1)
    }

    @Test("a form whose first copy fails is answered by itself")
    func failed() async throws {
        let first = await sendHeld(form(), fails: true)
        let second = Task { try await send(form()) }
        first.end()
        await #expect(throws: GatewayError.self) { _ = try await first.response.value }
        #expect(try await second.value == "1")
    }

    @Test("errors and long responses are not stored")
    func notStored() async throws {
        for _ in 0..<2 {
            await #expect(throws: CancellationError.self) {
                _ = try await forms.response(to: form()) { throw CancellationError() }
            }
        }
        #expect(try await send(form(), status: .forbidden) == "1")
        #expect(try await send(form(), status: .tooManyRequests) == "2")
        #expect(try await send(form(), size: SentForms.maximumBody + 1) == "3")
        #expect(try await send(form(), size: SentForms.maximumBody) == "4")
        #expect(try await send(form()) == "4")
    }

    @Test("with the forms of the maximum number of browsers, further ones are answered without being stored")
    func capacity() async throws {
        for number in 0..<SentForms.capacity { _ = try await send(form(token: "\(number)")) }
        #expect(try await send(form(token: "more")) != send(form(token: "more")))
        #expect(try await send(form(token: "0")) == "1")
        clock.advance(SentForms.lifetime.seconds)
        #expect(try await send(form(token: "more")) == send(form(token: "more")))
    }
}
