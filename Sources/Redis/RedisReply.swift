/// What Redis answers to a command.
///
/// Source: Redis serialization protocol specification, version 2.
public enum RedisReply: Hashable, Sendable {
    /// Nothing is there: the null bulk string or the null array.
    case nothing
    /// A short word, such as `OK`.
    case status(String)
    /// A whole number.
    case integer(Int64)
    /// Bytes of any kind, none among them.
    case bytes([UInt8])
    /// Several replies.
    case array([RedisReply])
}
