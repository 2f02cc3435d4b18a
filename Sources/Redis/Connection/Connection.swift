internal import CHiredis
import CLibrary

/// A connection to Redis. Only one thread may use it at a time.
///
/// No call blocks past its deadline: hiredis reads and writes without blocking, and this class does the waiting.
///
/// Source: hiredis 0.14, `hiredis.h`, `redisConnectNonBlock`.
final class Connection {
    private let context: UnsafeMutablePointer<redisContext>
    private let place: String

    /// Connects to a server.
    ///
    /// - Throws: ``RedisError/Code/unreachable``.
    init(to address: RedisSettings.Address, before deadline: ContinuousClock.Instant) throws(RedisError) {
        place = address.description
        let opened =
            switch address {
            case .host(let host, let port): redisConnectNonBlock(host, Int32(port))
            case .socket(let path): redisConnectUnixNonBlock(path)
            }
        guard let opened else { throw Self.unreachable(place, "there is not enough memory") }
        context = opened
        guard opened.pointee.err == 0 else { throw Self.unreachable(place, failure) }
        try waitUntilConnected(deadline)
    }

    deinit {
        redisFree(context)
    }

    /// Whether the connection is ready for the next command: open, without unread data.
    var isQuiet: Bool {
        // An unexpected reply would be taken for the reply to the next command.
        guard context.pointee.reader.pointee.pos == context.pointee.reader.pointee.len else { return false }
        var state = pollfd(fd: context.pointee.fd, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, 0) == 0
    }

    /// Sends commands in one batch and passes each reply or Redis error to `answered` when it arrives, in order.
    ///
    /// - Throws: ``RedisError/Code/lost`` or ``RedisError/Code/timedOut`` for the commands without a reply. The
    ///   connection must not be used after that.
    func exchange(
        _ commands: [RedisCommand], before deadline: ContinuousClock.Instant,
        answered: (Int, Result<RedisReply, RedisError>) -> Void
    ) throws(RedisError) {
        for command in commands { try append(command) }
        var isSent = false
        var count = 0
        while count < commands.count {
            if !isSent { isSent = try writeSome() }
            while count < commands.count, let reply = try nextReply() {
                answered(count, reply.result(of: commands[count]))
                count += 1
            }
            if count == commands.count { return }
            let ready = try wait(for: isSent ? POLLIN : POLLIN | POLLOUT, deadline)
            if ready & Int32(POLLIN) != 0 || ready & ~Int32(POLLOUT) != 0 { try readSome() }
        }
    }

    private func waitUntilConnected(_ deadline: ContinuousClock.Instant) throws(RedisError) {
        do throws(RedisError) {
            _ = try wait(for: POLLOUT, deadline)
        } catch {
            throw Self.unreachable(place, "it did not respond in time")
        }
        var status: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        if getsockopt(context.pointee.fd, SOL_SOCKET, SO_ERROR, &status, &size) != 0 { status = errno }
        guard status == 0 else { throw Self.unreachable(place, String(cString: strerror(status))) }
    }

    private func append(_ command: RedisCommand) throws(RedisError) {
        var lengths = command.words.map(\.count)
        let bytes = command.words.flatMap { $0 }
        let status = bytes.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { characters in
                // The base address of an empty array may be nil. Hiredis copies nothing from it in that case.
                var start = characters.baseAddress
                var pointers = lengths.map { length in
                    defer { start = start.map { $0 + length } }
                    return start
                }
                return redisAppendCommandArgv(context, Int32(lengths.count), &pointers, &lengths)
            }
        }
        guard status == REDIS_OK else { throw lost }
    }

    private func writeSome() throws(RedisError) -> Bool {
        var isDone: Int32 = 0
        guard redisBufferWrite(context, &isDone) == REDIS_OK else { throw lost }
        return isDone != 0
    }

    private func readSome() throws(RedisError) {
        guard redisBufferRead(context) == REDIS_OK else { throw lost }
    }

    private func nextReply() throws(RedisError) -> Reply? {
        var raw: UnsafeMutableRawPointer?
        guard redisGetReplyFromReader(context, &raw) == REDIS_OK else { throw lost }
        guard let raw else { return nil }
        defer { freeReplyObject(raw) }
        return Reply(raw.assumingMemoryBound(to: redisReply.self).pointee)
    }

    private func wait(for events: Int32, _ deadline: ContinuousClock.Instant) throws(RedisError) -> Int32 {
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { throw timedOut }
            var state = pollfd(fd: context.pointee.fd, events: Int16(events), revents: 0)
            // Rounded up to a whole millisecond, because a timeout of 0 would make this a busy loop.
            let count = poll(&state, 1, Int32(clamping: Int64(left / .milliseconds(1)) + 1))
            if count > 0 { return Int32(state.revents) }
            guard count == 0 || errno == EINTR else { throw lost }
        }
    }

    /// A description of hiredis's last failure. It comes from the system or the protocol and never contains the data of
    /// a command.
    private var failure: String {
        switch context.pointee.err {
        case REDIS_ERR_PROTOCOL: "its response is not in the Redis protocol"
        case REDIS_ERR_EOF: "it closed the connection"
        default: withUnsafeBytes(of: context.pointee.errstr) { Self.text($0) }
        }
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    private var lost: RedisError {
        RedisError(.lost, "The connection to Redis at '\(place)' was lost during a command: \(failure).")
    }

    private var timedOut: RedisError {
        RedisError(.timedOut, "Redis at '\(place)' did not respond to a command in time.")
    }

    private static func unreachable(_ place: String, _ reason: String) -> RedisError {
        RedisError(.unreachable, "Could not connect to Redis at '\(place)': \(reason).")
    }
}
