import CCurl
import CLibrary

/// Curl's set of transfers with its pool of connections.
///
/// This class tells curl which socket is ready, and curl handles only the transfer of that socket. If curl polled the
/// sockets itself, it would ask the system about every transfer for each received packet.
///
/// Source: libcurl-multi(3), "MULTI_SOCKET"; curl_multi_socket_action(3).
final class MultiHandle: @unchecked Sendable {  // Used by one thread, except `wakeUp`, never after `close`.
    private let pointer: UnsafeMutableRawPointer
    private let wakePipe: WakePipe
    /// The reading end of the wake pipe, then the sockets that curl waits for.
    private var watched: [pollfd]
    private var ready: [(socket: curl_socket_t, events: Int32)] = []
    /// The time at which curl must be called without an event. Nil for none.
    private var deadline: ContinuousClock.Instant?

    private static let longestWait = 60_000
    /// More than the parallel transfers to a server. By default, curl keeps four for each transfer that runs at the
    /// moment, so it closes connections that the next transfers need when several transfers end together.
    ///
    /// Source: CURLMOPT_MAXCONNECTS(3).
    private static let idleConnections = 32

    /// Initializes curl once. Safe with other threads since curl 7.84.
    private static let isCurlReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    init?() {
        guard Self.isCurlReady, let wakePipe = WakePipe(), let pointer = curl_multi_init() else { return nil }
        self.pointer = pointer
        self.wakePipe = wakePipe
        watched = [pollfd(fd: wakePipe.reading, events: Int16(POLLIN), revents: 0)]
        latch_curl_multi_set_idle_connections(pointer, Self.idleConnections)
        latch_curl_multi_set_callbacks(pointer, watchSocket, setTimer, Unmanaged.passUnretained(self).toOpaque())
    }

    func wakeUp() { wakePipe.wake() }

    /// Starts a transfer. Returns false when there is not enough memory.
    func add(_ easy: EasyHandle) -> Bool { curl_multi_add_handle(pointer, easy.pointer) == CURLM_OK }

    /// Removes a transfer. When it has not ended, its connection is closed or its stream is reset.
    func remove(_ easy: EasyHandle) { curl_multi_remove_handle(pointer, easy.pointer) }

    /// Whether ``wait(until:or:)`` found events that are not handled yet.
    var hasEvents: Bool { !ready.isEmpty }

    /// Handles an expired deadline, with which curl starts new transfers, and then one of the events that the last
    /// ``wait(until:or:)`` found.
    func perform() {
        var running: Int32 = 0
        if let deadline, deadline <= .now {
            // Before the call, in which curl may set the next deadline. The socket -1 is CURL_SOCKET_TIMEOUT.
            self.deadline = nil
            curl_multi_socket_action(pointer, curl_socket_t(-1), 0, &running)
        }
        // Curl may have closed a socket while it handled an earlier event.
        guard let event = ready.popLast(), watched.contains(where: { $0.fd == event.socket }) else { return }
        curl_multi_socket_action(pointer, event.socket, event.events, &running)
    }

    /// Waits for traffic, a deadline of curl or ``wakeUp()``, until `moment`, for a minute at most. `others` are sockets
    /// that curl does not wait for.
    func wait(until moment: ContinuousClock.Instant?, or others: [pollfd] = []) {
        let end = [deadline, moment].compactMap { $0 }.min()
        let own = watched.count
        watched += others
        let count = poll(&watched, nfds_t(watched.count), Int32(Self.pause(until: end)))
        watched.removeLast(watched.count - own)
        guard count > 0 else { return }
        if watched[0].revents != 0 { wakePipe.drain() }
        for entry in watched.dropFirst() where entry.revents != 0 {
            // Curl detects the kind of an error when it reads or writes.
            let wanted = entry.events & (entry.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 ? ~0 : entry.revents)
            var events: Int32 = 0
            if wanted & Int16(POLLIN) != 0 { events |= CURL_CSELECT_IN }
            if wanted & Int16(POLLOUT) != 0 { events |= CURL_CSELECT_OUT }
            ready.append((entry.fd, events))
        }
    }

    private static func pause(until moment: ContinuousClock.Instant?) -> Int {
        guard let moment else { return longestWait }
        let left = ContinuousClock.now.duration(to: moment)
        return left <= .zero ? 0 : min(longestWait, left.curlMilliseconds + 1)
    }

    func nextEnded() -> (easy: UnsafeMutableRawPointer, code: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(pointer, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            return (easy, latch_curl_message_result(message))
        }
        return nil
    }

    func close() {
        curl_multi_cleanup(pointer)
        wakePipe.close()
    }

    // MARK: - Callbacks of curl

    fileprivate func watch(_ socket: curl_socket_t, _ what: Int32) {
        let index = watched.indices.dropFirst().first { watched[$0].fd == socket }
        guard what != CURL_POLL_REMOVE else {
            if let index { watched.remove(at: index) }
            return
        }
        var events: Int32 = 0
        if what & CURL_POLL_IN != 0 { events |= Int32(POLLIN) }
        if what & CURL_POLL_OUT != 0 { events |= Int32(POLLOUT) }
        if let index {
            watched[index].events = Int16(events)
        } else {
            watched.append(pollfd(fd: socket, events: Int16(events), revents: 0))
        }
    }

    fileprivate func wake(after milliseconds: Int) {
        deadline = milliseconds < 0 ? nil : ContinuousClock.now + .milliseconds(milliseconds)
    }
}

private let watchSocket: curl_socket_callback = { _, socket, what, multi, _ in
    if let multi { Unmanaged<MultiHandle>.fromOpaque(multi).takeUnretainedValue().watch(socket, what) }
    return 0
}

private let setTimer: curl_multi_timer_callback = { _, milliseconds, multi in
    if let multi { Unmanaged<MultiHandle>.fromOpaque(multi).takeUnretainedValue().wake(after: milliseconds) }
    return 0
}

/// A pipe that wakes a thread that waits for sockets.
private struct WakePipe {
    let reading: Int32
    private let writing: Int32

    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (reading, writing) = (ends[0], ends[1])
    }

    /// Writes to the pipe. When the pipe is full, the thread is already being woken.
    func wake() {
        var byte: UInt8 = 1
        _ = write(writing, &byte, 1)
    }

    func drain() {
        var bytes: (UInt64, UInt64) = (0, 0)
        while read(reading, &bytes, 16) == 16 {}
    }

    func close() {
        system_close(reading)
        system_close(writing)
    }
}
