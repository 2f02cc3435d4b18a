import Foundation
import Synchronization

// Does on purpose what a sanitizer must find, or what it must be silent about, so that `make sanitize` shows first that
// its silence means something. Its one argument says what: race, locked, overflow or leak.

/// Runs `body` some times in each of two threads and waits for both. Each time the threads wait for each other: one that
/// had ended already might by chance have been seen to end.
func twice(_ body: @escaping @Sendable () -> Void) {
    let ended = DispatchSemaphore(value: 0)
    let started = ThreadCounter()
    for _ in 0..<2 {
        Thread.detachNewThread {
            for round in 1...50 {
                started.count.add(1, ordering: .relaxed)
                while started.count.load(ordering: .relaxed) < 2 * round {}
                body()
            }
            ended.signal()
        }
    }
    for _ in 0..<2 { ended.wait() }
}

/// How many threads have come.
final class ThreadCounter: Sendable {
    let count = Atomic(0)
}

/// A number that two threads add to without a lock.
final class Unguarded: @unchecked Sendable {
    var number = 0
}

/// A number that two threads add to under the lock that the whole package uses.
final class Guarded: Sendable {
    let number = Mutex(0)
}

switch CommandLine.arguments.dropFirst().first {
case "race":
    let shared = Unguarded()
    twice { for _ in 0..<2_000 { shared.number += 1 } }
    print(shared.number > 0)
case "locked":
    let shared = Guarded()
    twice { for _ in 0..<2_000 { shared.number.withLock { $0 += 1 } } }
    print(shared.number.withLock { $0 })
case "overflow":
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 16)
    bytes.initialize(repeating: 1, count: 16)
    print(bytes[CommandLine.arguments.count + 14])
case "leak":
    var bytes: UnsafeMutablePointer<UInt8>? = .allocate(capacity: 4_096)
    bytes?.initialize(repeating: 1, count: 4_096)
    bytes = nil
default:
    print("usage: SanitizerProbe race|locked|overflow|leak")
    exit(64)
}
