import FoundationEssentials
import Glibc
import LatchKit
import Terminal

StandardStreams.openClosed()
CoreDumps.forbid()
Heap.keepSmall()
let signals = Signals()
let status = await Main(signals: signals).run(
    Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment)
EchoGuard.shared.restore()
exit(status)
