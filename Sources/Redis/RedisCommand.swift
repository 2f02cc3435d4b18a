/// A command and its arguments, as the bytes that are sent to Redis.
///
/// Each argument is sent with its length, so no byte in it can end or start a command.
///
/// Source: Redis serialization protocol specification, sending commands.
package struct RedisCommand: Sendable, CustomStringConvertible {
    /// The name, followed by the arguments.
    let words: [[UInt8]]

    /// Creates a command with arguments of bytes.
    package init(_ name: StaticString, _ arguments: [[UInt8]]) {
        words = [Array(name.description.utf8)] + arguments
    }

    /// Creates a command with arguments of text.
    package init(_ name: StaticString, _ arguments: String...) {
        self.init(name, arguments.map { Array($0.utf8) })
    }

    /// The name of the command, without its arguments.
    package var description: String { String(decoding: words[0], as: UTF8.self) }
}
