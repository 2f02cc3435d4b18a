import Crypto
import Glibc

/// The file that the bridge's secret is in: one line of base64url, made when it is not there.
///
/// Source: open(2), link(2), fsync(2).
struct BridgeKeyFile: Sendable {
    let path: String

    /// How many tries to make a file that others make and remove at the same time.
    private static let tries = 8

    /// The secret in the file, which is made with a new one when there is none; of several programs that make it at once
    /// one wins and all read that one's.
    ///
    /// - Throws: ``GatewayError/Code/file`` when the file cannot be read or made, holds something else, or is open to
    ///   people whom it should not be open to.
    func secret() throws(GatewayError) -> Secret {
        for _ in 0..<Self.tries {
            if let secret = try read() { return secret }
            try make()
        }
        throw failure("it is removed again and again; see who does that")
    }

    private func read() throws(GatewayError) -> Secret? {
        // A pipe would block; it is refused below.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("\(Self.reason(errno)); make it readable for the user that runs latchd (uid \(getuid()))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw failure("it is no regular file; name another one in bridge.key_file")
        }
        guard status.st_mode & 0o027 == 0 else {
            throw failure("others may read or change it; run: chmod 600 '\(path)'")
        }
        return try secret(in: descriptor)
    }

    private func secret(in descriptor: Int32) throws(GatewayError) -> Secret {
        var bytes = [UInt8](repeating: 0, count: 64)
        defer { wipe(&bytes) }
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        let line = bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }
        guard var secret = Base64URL.decode(String(decoding: line, as: UTF8.self)), secret.count == 32 else {
            throw failure("it does not hold a key; remove it, and a new one is made (sign-ins under way begin again)")
        }
        defer { wipe(&secret) }
        return Secret(bytes: secret)
    }

    /// Writes a file beside and gives it the name, so that nobody reads half a key.
    private func make() throws(GatewayError) {
        let draft = "\(path).\(Base64URL.encode(SecureRandom.bytes(9)))"
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0o600)
        guard descriptor >= 0 else {
            throw failure("\(Self.reason(errno)); latchd (uid \(getuid())) must be able to write in its folder")
        }
        defer {
            close(descriptor)
            _ = unsafe unlink(draft)
        }
        let line = Secret.random(32).withBytes { Array((Base64URL.encode($0) + "\n").utf8) }
        let written = unsafe line.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        guard written == line.count, fsync(descriptor) == 0 else { throw failure(Self.reason(errno)) }
        guard unsafe link(draft, path) == 0 || errno == EEXIST else { throw failure(Self.reason(errno)) }
        flushFolder()
    }

    /// The name is on the disk too; where a folder cannot be flushed there is nothing to be done.
    private func flushFolder() {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private func failure(_ reason: String) -> GatewayError {
        GatewayError(.file, "Could not use the bridge's key file '\(path)': \(reason).")
    }

    private static func reason(_ number: Int32) -> String {
        unsafe String(cString: strerror(number)).lowercased()
    }
}
