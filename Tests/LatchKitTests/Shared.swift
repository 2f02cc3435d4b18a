import Foundation
import Synchronization

/// A value that several tasks change.
final class Shared<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    func change(_ body: (inout Value) -> Void) { state.withLock { value in body(&value) } }

    func append<Element>(_ element: Element) where Value == [Element] { change { $0.append(element) } }
}

/// Waits for a task on a thread of its caller, such as that of a scripted server. Returns "failed" if it throws.
func waitOnThread(_ look: @escaping @Sendable () async throws -> String) -> String {
    let (done, result) = (DispatchSemaphore(value: 0), Shared("failed"))
    Task {
        if let text = try? await look() { result.value = text }
        done.signal()
    }
    done.wait()
    return result.value
}
