import Crypto

/// The plaintext of a sealed file: the service, account and bytes of each secret, each preceded by its length in 4
/// bytes.
///
/// The caller must wipe a table after use. No secret is copied to memory that is not wiped.
enum SecretTable {
    static func write(_ secrets: [SecretKey: Secret]) -> [UInt8] {
        var table: [UInt8] = []
        // Reserved in advance, because a growing array would leave copies of the secrets in freed memory.
        table.reserveCapacity(
            secrets.reduce(0) { $0 + 12 + $1.key.service.utf8.count + $1.key.account.utf8.count + $1.value.count })
        for (key, secret) in secrets {
            append(key.service.utf8, to: &table)
            append(key.account.utf8, to: &table)
            secret.withUnsafeBytes { append($0, to: &table) }
        }
        return table
    }

    static func read(_ table: [UInt8]) -> [SecretKey: Secret]? {
        var rest = table[...]
        var secrets: [SecretKey: Secret] = [:]
        while !rest.isEmpty {
            guard let service = next(&rest), let account = next(&rest), let secret = next(&rest) else { return nil }
            let key = SecretKey(
                service: String(decoding: service, as: UTF8.self), account: String(decoding: account, as: UTF8.self))
            var bytes = Array(secret)
            defer { wipe(&bytes) }
            secrets[key] = Secret(bytes: bytes)
        }
        return secrets
    }

    private static func append(_ bytes: some Collection<UInt8>, to table: inout [UInt8]) {
        table += SealedFileFormat.bytes(bytes.count)
        table += bytes
    }

    private static func next(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard rest.count >= 4 else { return nil }
        let count = SealedFileFormat.number(rest.prefix(4))
        guard rest.count - 4 >= count else { return nil }
        defer { rest = rest.dropFirst(4 + count) }
        return rest.dropFirst(4).prefix(count)
    }
}
