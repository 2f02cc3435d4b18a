internal import CHiredis

/// A reply from hiredis: a ``RedisReply`` or an error from Redis.
enum Reply {
    case reply(RedisReply)
    /// The first word of the error. The rest is dropped because it may repeat the arguments of the command.
    case error(String)

    init(_ raw: redisReply) {
        switch raw.type {
        case REDIS_REPLY_STRING: self = .reply(.bytes(Self.bytes(raw)))
        case REDIS_REPLY_STATUS: self = .reply(.status(String(decoding: Self.bytes(raw), as: UTF8.self)))
        case REDIS_REPLY_INTEGER: self = .reply(.integer(Int64(raw.integer)))
        case REDIS_REPLY_NIL: self = .reply(.nothing)
        case REDIS_REPLY_ARRAY: self = Self.array(raw)
        default: self = .error(Self.firstWord(Self.bytes(raw)))
        }
    }

    /// Returns the reply, or an error that names the command.
    func result(of command: RedisCommand) -> Result<RedisReply, RedisError> {
        switch self {
        case .reply(let reply): .success(reply)
        case .error(let reason):
            .failure(
                RedisError(.refused, "Redis refused the command \(command) with the error \(reason).", reason: reason))
        }
    }

    private static func array(_ raw: redisReply) -> Reply {
        var elements: [RedisReply] = []
        for index in 0..<raw.elements {
            guard let element = raw.element?[index] else { continue }
            switch Reply(element.pointee) {
            case .reply(let reply): elements.append(reply)
            case .error(let reason): return .error(reason)
            }
        }
        return .reply(.array(elements))
    }

    private static func bytes(_ raw: redisReply) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: raw.str, count: raw.str == nil ? 0 : raw.len))
    }

    private static func firstWord(_ bytes: [UInt8]) -> String {
        let word = bytes.prefix(32).prefix { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        return word.isEmpty ? "ERR" : String(decoding: word, as: UTF8.self)
    }
}
