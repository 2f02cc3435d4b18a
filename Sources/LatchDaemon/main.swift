import FoundationEssentials
import Glibc
import Terminal

StandardStreams.openClosed()
CoreDumps.forbid()
// The buffer of a connection is 18 KiB. Without this, freed buffers would stay in memory next to those of later
// connections.
Heap.keepSmall(large: 16 << 10)
// Signals are blocked before a second thread exists.
let signals = Signals()
let status = await Main(signals: signals).run(
    Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment)
EchoGuard.shared.restore()
exit(status)
