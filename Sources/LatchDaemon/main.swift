import FoundationEssentials
import Glibc
import Terminal

CoreDumps.forbid()
Heap.keepSmall()
// First of all: signals are blocked before there is a second thread.
let signals = Signals()
let status = await Main(signals: signals).run(
    Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment)
EchoGuard.shared.restore()
exit(status)
