import CLibrary
import Crypto

/// A file with a key of 32 bytes, raw or as 64 hexadecimal digits, that only its owner may read.
enum KeyFile {
    /// Reads the key. Returns nil when the file does not exist.
    ///
    /// - Throws: ``SecretStorageError`` with code ``SecretStorageError/Code/denied`` when the file is not a regular
    ///   file of this user with mode 0600, and ``SecretStorageError/Code/damaged`` when it does not contain a key.
    static func read(_ path: String) throws(SecretStorageError) -> Secret? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw PrivateFile.failure("inspect", path)
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            throw SecretStorageError(
                .denied,
                "Could not use the key file '\(path)': it is not a regular file owned by uid \(geteuid()); "
                    + "run chown on it, or replace it with your own file.")
        }
        guard status.st_mode & 0o7777 == 0o600 else {
            let mode = String(status.st_mode & 0o7777, radix: 8)
            throw SecretStorageError(
                .denied, "Could not use the key file '\(path)': its mode is \(mode); run chmod 600 on it.")
        }
        guard var bytes = try PrivateFile.read(path) else { return nil }
        defer { wipe(&bytes) }
        if bytes.count == Sealing.keyCount { return Secret(bytes: bytes) }
        guard var key = decoded(bytes) else {
            throw SecretStorageError(
                .damaged,
                "Could not use the key file '\(path)': it has \(bytes.count) bytes, but a key is 32 bytes or 64 "
                    + "hexadecimal digits; restore it from a backup, or create one: head -c 32 /dev/urandom.")
        }
        defer { wipe(&key) }
        return Secret(bytes: key)
    }

    /// Decodes 64 hexadecimal digits, with an optional line feed at the end. Returns nil for anything else.
    private static func decoded(_ text: [UInt8]) -> [UInt8]? {
        let count = Sealing.keyCount * 2
        guard text.count == count || text.count == count + 1 && text.last == UInt8(ascii: "\n") else { return nil }
        var key: [UInt8] = []
        key.reserveCapacity(Sealing.keyCount)
        for index in stride(from: 0, to: count, by: 2) {
            guard let high = digit(text[index]), let low = digit(text[index + 1]) else {
                wipe(&key)
                return nil
            }
            key.append(high << 4 | low)
        }
        return key
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Creates a new key. The caller must hold the lock and know that nothing has been sealed yet.
    static func make(_ path: String) throws(SecretStorageError) -> Secret {
        let key = Secret.random(Sealing.keyCount)
        try PrivateFile.withLock(path) { () throws(SecretStorageError) in
            var bytes = key.withBytes { $0 }
            defer { wipe(&bytes) }
            try PrivateFile.replace(path, with: bytes)
        }
        return key
    }
}
