import Crypto

/// The layout of a sealed file.
///
/// `magic 8 ‖ version 1 ‖ kind 1 ‖ zero 2 ‖ memory KiB 4 ‖ passes 4 ‖ salt 16`, then a check block of 40 bytes (an
/// empty text, sealed), the SHA-256 of everything before, then the box with the secrets. Numbers are big-endian. The
/// hash detects a damaged head, and the check block detects a wrong passphrase. The head with the check block and the
/// hash is the context of the box.
struct SealedFileFormat {
    /// The source of the key.
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

    /// Parses a file. Returns nil when it is damaged.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headCount + Sealing.overhead else { return nil }
        head = Array(bytes.prefix(Self.headCount))
        body = Array(bytes.dropFirst(Self.headCount))
        let digested = Array(head.dropLast(SHA256Digest.count))
        guard SHA256.digest(digested).bytes == Array(head.suffix(SHA256Digest.count)), head.starts(with: Self.magic),
            head[8] == Self.version, let kind = Kind(rawValue: head[9]), head[10] == 0, head[11] == 0
        else { return nil }

        // The limits keep a manipulated file from requesting all memory of the machine.
        let (memory, passes) = (Self.number(head[12..<16]), Self.number(head[16..<20]))
        guard memory <= 1 << 20, passes <= 100,
            let parameters = try? Argon2idParameters(memoryKiB: memory, iterations: passes)
        else { return nil }
        header = Header(kind: kind, parameters: parameters, salt: Array(head[20..<36]))
    }

    /// Returns whether the file was sealed with `key`.
    func accepts(_ key: Secret) -> Bool {
        (try? Sealing.open(check, key: key, context: headerBytes)) == []
    }

    /// Decrypts the secrets. Returns nil when the box is damaged.
    func secrets(_ key: Secret) -> [SecretKey: Secret]? {
        guard var plaintext = try? Sealing.open(body, key: key, context: head) else { return nil }
        defer { wipe(&plaintext) }
        return SecretTable.read(plaintext)
    }

    /// Returns the contents of a file with `secrets`.
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
