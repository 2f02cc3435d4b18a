import Crypto
import Glibc

/// A file with a key of 32 bytes that only its owner may read.
enum KeyFile {
    /// Reads the key; nil when there is no file.
    ///
    /// - Throws: ``SecretStorageError`` with code ``SecretStorageError/Code/denied`` when the file is not a plain file
    ///   of ours with mode 0600, ``SecretStorageError/Code/damaged`` when it has not 32 bytes.
    static func read(_ path: String) throws(SecretStorageError) -> Secret? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw PrivateFile.failure("look at", path)
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            throw SecretStorageError(
                .denied,
                "Could not use the key file '\(path)': it is no plain file owned by uid \(geteuid()); "
                    + "run chown on it, or put your own file there.")
        }
        guard status.st_mode & 0o7777 == 0o600 else {
            let mode = String(status.st_mode & 0o7777, radix: 8)
            throw SecretStorageError(
                .denied, "Could not use the key file '\(path)': its mode is \(mode); run chmod 600 on it.")
        }
        guard var bytes = try PrivateFile.read(path) else { return nil }
        defer { wipe(&bytes) }
        guard bytes.count == Sealing.keyCount else {
            throw SecretStorageError(
                .damaged,
                "Could not use the key file '\(path)': it has \(bytes.count) bytes, not 32; restore it from a copy.")
        }
        return Secret(bytes: bytes)
    }

    /// Makes a new key; the caller holds the lock and knows that nothing is sealed yet.
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
