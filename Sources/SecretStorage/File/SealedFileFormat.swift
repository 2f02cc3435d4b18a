import Crypto

/// The layout of a sealed file.
///
/// `magic 8 ‖ version 1 ‖ kind 1 ‖ zero 2 ‖ memory KiB 4 ‖ passes 4 ‖ salt 16`, then a check block of 40 bytes (nothing,
/// sealed), the SHA-256 of all that, then the box with the secrets. Numbers are big-endian. The hash tells a damaged head
/// from a wrong passphrase, which the check block shows; the head with check block and hash is the box's context.
struct SealedFileFormat {
    /// What the key comes from.
    enum Kind: UInt8 { case passphrase = 1, keyFile = 2 }

    struct Header: Equatable {
        let kind: Kind
        let parameters: Argon2idParameters
        let salt: [UInt8]
    }

    static let headerCount = 36
    static let headCount = headerCount + Sealing.overhead + SHA256Digest.count
    private static let magic = Array("LATCHSEC".utf8)
    private static let version: UInt8 = 1

    let header: Header
    let head: [UInt8]
    let body: [UInt8]

    private var headerBytes: [UInt8] { Array(head.prefix(Self.headerCount)) }
    private var check: [UInt8] { Array(head[Self.headerCount..<Self.headerCount + Sealing.overhead]) }

    /// Reads a file's bytes; nil when they are damaged.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headCount + Sealing.overhead else { return nil }
        head = Array(bytes.prefix(Self.headCount))
        body = Array(bytes.dropFirst(Self.headCount))
        let digested = Array(head.dropLast(SHA256Digest.count))
        guard SHA256.digest(digested).bytes == Array(head.suffix(SHA256Digest.count)), head.starts(with: Self.magic),
            head[8] == Self.version, let kind = Kind(rawValue: head[9]), head[10] == 0, head[11] == 0
        else { return nil }

        // A file must not be able to ask for all of the machine's memory.
        let (memory, passes) = (Self.number(head[12..<16]), Self.number(head[16..<20]))
        guard memory <= 1 << 20, passes <= 100,
            let parameters = try? Argon2idParameters(memoryKiB: memory, iterations: passes)
        else { return nil }
        header = Header(kind: kind, parameters: parameters, salt: Array(head[20..<36]))
    }

    /// Whether `key` is the one that the file was sealed with.
    func accepts(_ key: Secret) -> Bool {
        (try? Sealing.open(check, key: key, context: headerBytes)) == []
    }

    /// The secrets; nil when the box is damaged.
    func secrets(_ key: Secret) -> [SecretKey: Secret]? {
        guard var plaintext = try? Sealing.open(body, key: key, context: head) else { return nil }
        defer { wipe(&plaintext) }
        return SecretTable.read(plaintext)
    }

    /// A whole file that holds `secrets`.
    static func make(_ secrets: [SecretKey: Secret], header: Header, key: Secret) throws(CryptoError) -> [UInt8] {
        var head = magic + [version, header.kind.rawValue, 0, 0]
        head += bytes(header.parameters.memoryKiB) + bytes(header.parameters.iterations) + header.salt
        head += try Sealing.seal([], key: key, context: head)
        head += SHA256.digest(head).bytes
        var plaintext = SecretTable.write(secrets)
        defer { wipe(&plaintext) }
        return head + (try Sealing.seal(plaintext, key: key, context: head))
    }

    static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }

    static func bytes(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
