/// A command and its arguments, as the bytes that are sent to Redis.
///
/// Each argument is sent with its length, so no byte in it can end or start a command.
///
/// Source: Redis serialization protocol specification, sending commands.
public struct RedisCommand: Sendable, CustomStringConvertible {
    /// The name, followed by the arguments.
    let words: [[UInt8]]

    /// Creates a command with arguments of bytes.
    public init(_ name: StaticString, _ arguments: [[UInt8]]) {
        words = [Array(name.description.utf8)] + arguments
    }

    /// Creates a command with arguments of text.
    public init(_ name: StaticString, _ arguments: String...) {
        self.init(name, arguments.map { Array($0.utf8) })
    }

    /// The name of the command, without its arguments.
    public var description: String { String(decoding: words[0], as: UTF8.self) }
}
