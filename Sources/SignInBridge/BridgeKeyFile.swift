import CLibrary
import Crypto
import GatewayCore

/// The file that contains the bridge's secret: one line of base64url. It is created if it does not exist.
///
/// Source: open(2), link(2), fsync(2).
struct BridgeKeyFile: Sendable {
    let path: String

    /// The number of attempts to create a file that other programs create and remove at the same time.
    private static let tries = 8

    /// Returns the secret in the file. Creates the file with a new secret if there is none. When several programs
    /// create it at the same time, one of them succeeds and all of them read its secret.
    ///
    /// - Throws: ``GatewayError/Code/file`` when the file cannot be read or created, does not contain a key, or has
    ///   permissions that are too open.
    func secret() throws(GatewayError) -> Secret {
        for _ in 0..<Self.tries {
            if let secret = try read() { return secret }
            try make()
        }
        throw failure("another program repeatedly removes it; find out which one")
    }

    private func read() throws(GatewayError) -> Secret? {
        // Opening a pipe would block without `O_NONBLOCK`. Files that are not regular are refused below.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("\(Self.reason(errno)); make it readable for the user that runs latchd (uid \(getuid()))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw failure("it is not a regular file; set bridge.key_file to another one")
        }
        guard status.st_mode & 0o027 == 0 else {
            throw failure("other users can read or change it; run: chmod 600 '\(path)'")
        }
        return try secret(in: descriptor)
    }

    private func secret(in descriptor: Int32) throws(GatewayError) -> Secret {
        var bytes = [UInt8](repeating: 0, count: 64)
        defer { wipe(&bytes) }
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe CLibrary.read(descriptor, $0.baseAddress, $0.count) }
        let line = bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }
        guard var secret = Base64URL.decode(String(decoding: line, as: UTF8.self)), secret.count == 32 else {
            throw failure(
                "it does not contain a key; name another file, or remove it to create a new one (sign-ins in progress start "
                    + "again)")
        }
        defer { wipe(&secret) }
        return Secret(bytes: secret)
    }

    /// Writes a temporary file next to the key file and links it to that name. Readers never see a partial key.
    private func make() throws(GatewayError) {
        let draft = "\(path).\(Base64URL.encode(SecureRandom.bytes(9)))"
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0o600)
        guard descriptor >= 0 else {
            throw failure("\(Self.reason(errno)); latchd (uid \(getuid())) must be able to write to its folder")
        }
        defer {
            close(descriptor)
            _ = unsafe unlink(draft)
        }
        let line = Secret.random(32).withBytes { Array((Base64URL.encode($0) + "\n").utf8) }
        let written = unsafe line.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        // Flushed before it gets its final name, so that a power failure cannot leave an incomplete key file.
        guard written == line.count, fsync(descriptor) == 0 else { throw failure(Self.reason(errno)) }
        // `rename` would replace the key of a program that was faster. `link` fails instead.
        guard unsafe link(draft, path) == 0 || errno == EEXIST else { throw failure(Self.reason(errno)) }
        ParentFolder.flush(of: path)
    }

    private func failure(_ reason: String) -> GatewayError {
        GatewayError(.file, "Could not use the bridge's key file '\(path)': \(reason).")
    }

    private static func reason(_ number: Int32) -> String {
        unsafe String(cString: strerror(number)).lowercased()
    }
}
