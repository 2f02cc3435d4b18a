/// A command and its arguments, as the bytes that Redis gets.
///
/// Arguments are carried with their lengths, so no byte in them can end or begin a command.
///
/// Source: Redis serialization protocol specification, sending commands.
public struct RedisCommand: Sendable, CustomStringConvertible {
    /// The name and the arguments.
    let words: [[UInt8]]

    /// Makes a command of words that are bytes.
    public init(_ name: StaticString, _ arguments: [[UInt8]]) {
        words = [Array(name.description.utf8)] + arguments
    }

    /// Makes a command of words that are text.
    public init(_ name: StaticString, _ arguments: String...) {
        self.init(name, arguments.map { Array($0.utf8) })
    }

    /// The command's name; what it carries is not shown.
    public var description: String { String(decoding: words[0], as: UTF8.self) }
}
