import FoundationEssentials
import Synchronization

/// A clock that stands still until it is advanced.
final class TestClock: Sendable {
    private let time = Mutex(Date(timeIntervalSince1970: 1_790_000_000))

    var now: Date { time.withLock { $0 } }

    func advance(_ seconds: Double) {
        time.withLock { $0 += seconds }
    }
}

let minute = 60.0
let hour = 3_600.0
let day = 86_400.0
