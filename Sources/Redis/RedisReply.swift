/// The reply to a command.
///
/// Source: Redis serialization protocol specification, version 2.
package enum RedisReply: Hashable, Sendable {
    /// No value: the null bulk string or the null array.
    case nothing
    /// A status, such as `OK`.
    case status(String)
    /// An integer.
    case integer(Int64)
    /// A string of arbitrary bytes, possibly empty.
    case bytes([UInt8])
    /// A list of replies.
    case array([RedisReply])
}
