public import Crypto
public import Redis

/// One-time codes in Redis, where several gateways find them.
///
/// A record stands under `latch:code:` and the hexadecimal SHA-256 of its code, and Redis forgets it by itself. A gateway
/// whose Redis is gone refuses sign-ins through a provider and does everything else; it goes on by itself when Redis is
/// back. Codes that were in a Redis that lost its memory are gone, which costs their owners another sign-in.
///
/// Source: OX-4, OX-15; Redis `SET` with `NX` and `PX`, `GETDEL` (6.2 or newer).
public final class RedisCodeStore: CodeStore {
    private static let prefix = Array("latch:code:".utf8)

    private let redis: RedisClient

    /// Makes a store in the server of `redis`.
    public init(_ redis: RedisClient) {
        self.redis = redis
    }

    /// Keeps a record; see ``CodeStore``.
    ///
    /// - Throws: ``GatewayError/Code/codeExists``; `RedisError`.
    public func keep(_ record: [UInt8], under key: SHA256Digest, for lifetime: Duration) async throws {
        let milliseconds = max(1, Int64(lifetime / .milliseconds(1)))
        let words = [Self.name(of: key), record, Array("NX".utf8), Array("PX".utf8), Array("\(milliseconds)".utf8)]
        guard try await redis.run(RedisCommand("SET", words)) == .status("OK") else { throw GatewayError.codeExists }
    }

    /// Takes a record out; see ``CodeStore``.
    ///
    /// - Throws: `RedisError`.
    public func take(_ key: SHA256Digest) async throws -> [UInt8]? {
        do throws(RedisError) {
            let reply = try await redis.run(RedisCommand("GETDEL", [Self.name(of: key)]))
            guard case .bytes(let record) = reply else { return nil }
            return record
        } catch {
            guard error.code == .refused, error.reason == "ERR" else { throw error }
            throw RedisError(.refused, "Redis refused GETDEL: the gateway needs Redis 6.2 or newer.", reason: "ERR")
        }
    }

    /// Whether Redis answers.
    public func isReady() async -> Bool {
        (try? await redis.run(RedisCommand("PING"))) == .status("PONG")
    }

    private static func name(of key: SHA256Digest) -> [UInt8] {
        prefix + Array(key.hexadecimal.utf8)
    }
}
