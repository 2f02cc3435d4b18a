// A stand-in of what the adapters use of this framework, written from its documentation, to type-check them on Linux.
// It does nothing, proves nothing about an Apple system, and was never run on one.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Source: https://developer.apple.com/documentation/network/nwpath
public struct NWPath: Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }

    public let status: Status
    public let isExpensive: Bool
    public let isConstrained: Bool
}

// Source: https://developer.apple.com/documentation/network/nwpathmonitor and its page `Iterator`
public final class NWPathMonitor: AsyncSequence {
    public struct Iterator: AsyncIteratorProtocol {
        public mutating func next() async -> NWPath? { nil }
    }

    public init() {}
    public func makeAsyncIterator() -> Iterator { Iterator() }
}
