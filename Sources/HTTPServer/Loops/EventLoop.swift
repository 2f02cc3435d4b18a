import CLibrary
import CMicroHTTPD
import HTTPMessages
import Primitives
import Synchronization

/// A thread that waits for sockets, runs libmicrohttpd's daemons and executes the jobs of handlers.
///
/// The epoll set of the loop contains the epoll descriptor of each daemon and an eventfd with which other threads wake
/// the loop. It also contains the sockets of clients: those of WebSocket connections to read and write,
/// the others only to detect their disconnection.
///
/// Source: epoll(7), eventfd(2); libmicrohttpd manual, "Using external event loops" and `MHD_suspend_connection`.
final class EventLoop: TaskExecutor, @unchecked Sendable {  // Used only on its thread, except `queue`, a `Mutex`.
    let settings: Settings
    let queue = Mutex(Queue())
    let epoll: Int32
    let wake: Int32
    var thread: pthread_t?
    var daemons: [Daemon] = []
    var connections: [ClientConnection] = []
    var byDescriptor: [Int32: ClientConnection] = [:]
    /// The WebSocket connections by descriptor.
    var webSockets: [Int32: WebSocketConnection] = [:]
    /// The number of WebSocket connections that libmicrohttpd does not count.
    var handedOverCount = 0
    /// The maximum number of connections at once, WebSocket connections included.
    var connectionShare = 0
    /// Connections whose clients have disconnected, which libmicrohttpd may not have detected.
    var ended: [ClientConnection] = []
    /// The number of connections for which libmicrohttpd has a buffer.
    var readCount = 0
    /// Connections that have bytes to read and wait for memory, in order of arrival.
    var waiting: [ClientConnection] = []
    /// Exchanges whose memory is counted at the end of this turn if they still wait for their clients.
    var uncounted: [Exchange] = []
    /// The requests that are still incomplete, with their memory.
    let incomplete: ExchangeMemory
    /// The responses that are not sent completely, with their memory.
    let unsent: ExchangeMemory
    var localJobs: [UnownedJob] = []
    var runningTasks = 0
    var numbers = RequestNumbers()
    var reusableResponses = ReusableResponses()
    /// The time of the monotonic clock in nanoseconds, read once in each turn.
    var now = EventLoop.readClock()
    var nextSweep: UInt64 = 0
    /// The progress of a stop. Nil until it begins.
    var stopProgress: StopProgress?
    /// When connections are closed again for those that wait for memory.
    var nextMemoryCheck: UInt64 = 0
    var hasStopped = false
    private var events = [epoll_event](repeating: epoll_event(), count: 64)

    init(_ settings: Settings) throws(HTTPServerError) {
        self.settings = settings
        incomplete = ExchangeMemory(limit: settings.incompleteLimit, memory: settings.requestMemory)
        unsent = ExchangeMemory(limit: settings.unsentLimit, memory: settings.responseMemory)
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        wake = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard epoll >= 0, wake >= 0, latch_epoll_add(epoll, wake, latch_epoll_readable(), Self.wakeTag) == 0 else {
            throw HTTPServerError(
                .system, "Could not create an event loop: \(HTTPServerError.reason(errno)).", systemError: errno)
        }
    }

    deinit {
        close(epoll)
        close(wake)
    }

    // Tags distinguish the kinds of events. The tag of a client is its descriptor.
    static let wakeTag = UInt64.max
    static let daemonTag: UInt64 = 1 << 32

    static func readClock() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    func startThread() throws(HTTPServerError) {
        do throws(SystemThread.Failure) {
            try SystemThread.detach { self.run() }
        } catch {
            throw HTTPServerError(
                .system, "Could not start a server thread: \(error); raise this user's thread limit.",
                systemError: error.number)
        }
    }

    /// Runs the loop. Returns when the server has stopped and no handler is running.
    func run() {
        thread = pthread_self()
        blockBrokenPipes()
        while !isFinished() {
            let timeout = waitMilliseconds()
            let count = timeout == 0 ? poll(0) : sleep(timeout)
            now = Self.readClock()
            if count > 0 { handle(events: Int(count)) }
            runDaemons()
            // Jobs may queue responses, so daemons run until nothing new appears; memory is counted after that, when
            // requests are known to be incomplete.
            while runJobs() { runDaemons() }
            countExchangeMemory()
            freeMemoryIfDue()
            admitWaiting()
            closeEnded()
            sweepIfDue()
            continueStopping()
        }
    }

    /// Blocks SIGPIPE, which sendfile(2) raises when the client has disconnected.
    private func blockBrokenPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private func poll(_ timeout: Int32) -> Int32 {
        epoll_wait(epoll, &events, Int32(events.count), timeout)
    }

    /// Waits for events, unless a job has arrived meanwhile. Other threads wake the loop only while `isSleeping` is
    /// set.
    private func sleep(_ timeout: Int32) -> Int32 {
        // Avoids an eventfd write for each job of a busy loop.
        let maySleep = queue.withLock { queue in
            queue.isSleeping = queue.isEmpty
            return queue.isSleeping
        }
        guard maySleep else { return poll(0) }
        let count = poll(timeout)
        queue.withLock { $0.isSleeping = false }
        return count
    }

    private func handle(events count: Int) {
        for index in 0..<count {
            let tag = latch_epoll_tag(&events[index])
            if tag == Self.wakeTag {
                var value: UInt64 = 0
                _ = read(wake, &value, 8)
            } else if tag >= Self.daemonTag {
                let index = Int(tag - Self.daemonTag)
                if index < daemons.count { daemons[index].needsRun = true }
            } else if let socket = webSockets[Int32(truncatingIfNeeded: tag)] {
                socket.handleEvent()
            } else {
                let connection = byDescriptor[Int32(truncatingIfNeeded: tag)]
                connection?.release()
                if latch_epoll_has_ended(&events[index]) != 0 { connection?.peerHasEnded() }
            }
        }
    }

    func runDaemons() {
        for daemon in daemons where daemon.needsRun && daemon.isOpen {
            // Before the run, because callbacks may request another one.
            daemon.needsRun = false
            MHD_run(daemon.handle)
            // The run that completes the end of an upgrade leaves the connection to the next one, and does not report it.
            if daemon.endingUpgrades > 0 { MHD_run(daemon.handle) }
            daemon.holdHandshakes()
            // Decrypted bytes in libmicrohttpd's buffers raise no epoll event; its timeout of 0 reports them.
            var milliseconds: UInt64 = 0
            if MHD_get_timeout(daemon.handle, &milliseconds) == latch_mhd_yes, milliseconds == 0 {
                daemon.needsRun = true
            }
        }
    }

    /// Returns how long the loop may sleep, in milliseconds: 0 while a daemon has work, otherwise the time until the
    /// next deadline check. -1 means without limit.
    private func waitMilliseconds() -> Int32 {
        if !localJobs.isEmpty || daemons.contains(where: { $0.needsRun && $0.isOpen }) { return 0 }
        guard hasConnections || isStopping && !hasStopped else { return -1 }
        let next = waiting.isEmpty ? nextSweep : min(nextSweep, nextMemoryCheck)
        // Rounded up, or the loop would spin in the last millisecond.
        return next <= now ? 0 : Int32(clamping: (next - now) / 1_000_000 + 1)
    }
}
