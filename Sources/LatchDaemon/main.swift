import FoundationEssentials
import Glibc
import Terminal

StandardStreams.openClosed()
CoreDumps.forbid()
// The buffer of a connection is 18 KiB. Freed ones would stay in memory beside those of the next connections.
Heap.keepSmall(large: 16 << 10)
// Signals are blocked before there is a second thread.
let signals = Signals()
let status = await Main(signals: signals).run(
    Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment)
EchoGuard.shared.restore()
exit(status)
