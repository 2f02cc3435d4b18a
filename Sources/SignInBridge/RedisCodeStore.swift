package import Crypto
import GatewayCore
import Primitives
package import Redis

/// A store of one-time codes in Redis, which several gateways can share.
///
/// The key of a record is `latch:code:` and the hexadecimal SHA-256 of its code. The list `latch:codes-of:` and the
/// hash of an owner has the keys of the owner's last codes, also of those that were used. Redis deletes what has expired.
/// Only the records of one owner have a maximum number, not those of all. While
/// Redis is unavailable, the gateway refuses sign-ins through a provider and continues everything else; it recovers
/// automatically. If Redis loses its data, people with a pending code must sign in again.
///
/// Source: OX-4, OX-15; Redis `SET` with `NX` and `PX`, `GET`, `GETDEL` (6.2 or newer), `RPUSH`, `LPOP`.
package final class RedisCodeStore: CodeStore {
    private static let prefix = Array("latch:code:".utf8)

    /// At least how long the list of an owner's codes is kept after the last one: longer than a code lives by default.
    private static let listLifetime = Duration.seconds(600)

    private let redis: RedisClient

    /// A minute. Redis deletes records by its own clock, so they do not live longer.
    package var toleratedClockDifference: Duration { ClockDifference.tolerated }

    /// Makes a store that uses the server of `redis`.
    package init(_ redis: RedisClient) {
        self.redis = redis
    }

    /// Stores a record; see ``CodeStore``.
    ///
    /// - Throws: ``GatewayError/Code/codeExists``; `RedisError`.
    package func save(
        _ record: [UInt8], under key: SHA256Digest, for lifetime: Duration, of owner: CodeOwner?
    ) async throws {
        // Redis refuses a lifetime of zero.
        let milliseconds = max(1, lifetime.wholeMilliseconds)
        let words = [Self.name(of: key), record, Array("NX".utf8), Array("PX".utf8), Array("\(milliseconds)".utf8)]
        guard try await redis.run(RedisCommand("SET", words)) == .status("OK") else { throw GatewayError.codeExists }
        if let owner { try await displace(by: Self.name(of: key), of: owner, for: lifetime) }
    }

    /// Adds a key to the list of an owner's codes, and deletes the first one when there are too many.
    private func displace(by name: [UInt8], of owner: CodeOwner, for lifetime: Duration) async throws {
        let list = Array("latch:codes-of:\(owner.key.hexadecimal)".utf8)
        let count = try await redis.run(RedisCommand("RPUSH", [list, name]))
        let milliseconds = max(lifetime, Self.listLifetime).wholeMilliseconds
        _ = try await redis.run(RedisCommand("PEXPIRE", [list, Array("\(milliseconds)".utf8)]))
        guard case .integer(let number) = count, number > CodeOwner.maximum,
            case .bytes(let first) = try await redis.run(RedisCommand("LPOP", [list]))
        else { return }
        _ = try await redis.run(RedisCommand("DEL", [first]))
    }

    /// Returns a record and leaves it there; see ``CodeStore``.
    ///
    /// - Throws: `RedisError`.
    package func find(_ key: SHA256Digest) async throws -> [UInt8]? {
        guard case .bytes(let record) = try await redis.run(RedisCommand("GET", [Self.name(of: key)])) else {
            return nil
        }
        return record
    }

    /// Removes a record and returns it; see ``CodeStore``.
    ///
    /// - Throws: `RedisError`.
    package func consume(_ key: SHA256Digest) async throws -> [UInt8]? {
        do throws(RedisError) {
            let reply = try await redis.run(RedisCommand("GETDEL", [Self.name(of: key)]))
            guard case .bytes(let record) = reply else { return nil }
            return record
        } catch {
            // Older versions respond with ERR to a command that they do not know.
            guard error.code == .refused, error.reason == "ERR" else { throw error }
            throw RedisError(.refused, "Redis refused GETDEL: the gateway needs Redis 6.2 or newer.", reason: "ERR")
        }
    }

    /// Whether Redis responds to `PING`.
    package func isReady() async -> Bool {
        (try? await redis.run(RedisCommand("PING"))) == .status("PONG")
    }

    /// Does nothing: Redis deletes expired records.
    package func sweep() {}

    private static func name(of key: SHA256Digest) -> [UInt8] {
        prefix + Array(key.hexadecimal.utf8)
    }
}
