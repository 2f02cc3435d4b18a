import Foundation
import Synchronization
import TestSupport
import Testing

/// A house in which everything that the programs say, send and write is kept to be searched.
final class LeakFixture: Sendable {
    /// Secrets of one run, by what they are.
    struct Secrets {
        let password = LeakFixture.random("Ada's & pass=phrase %")
        let second = LeakFixture.random("second \"pass\\word+")
        let wrong = LeakFixture.random("wrong guess ")
        let registered = LeakFixture.random("registered word ")
        let passphrase = LeakFixture.random("sealed by this ")
        let header = LeakFixture.random("header-value-")
        let keyring = LeakFixture.random("keyring-")

        var all: [(name: String, value: String)] {
            [
                ("password", password), ("second password", second), ("wrong password", wrong),
                ("registered password", registered), ("passphrase", passphrase), ("extra header", header),
                ("keyring's password", keyring),
            ]
        }
    }

    static func random(_ start: String) -> String {
        start + String((0..<20).map { _ in "abcdefghijkmnpqrstuvwxyz23456789".randomElement() ?? "a" })
    }

    let base: SystemFixture
    let secrets = Secrets()
    private let kept = Mutex<[(place: String, bytes: [UInt8])]>([])
    private let known = Mutex<[(name: String, value: String)]>([])

    init() throws {
        let folder = try TemporaryDirectory()
        base = try SystemFixture([
            "TMPDIR": folder.path, "LATCHD_LOG_LEVEL": "debug", "LATCHD_DIALECTS_ONYX_REGISTRATION": "true",
            "LATCHD_GUARDS_ACCOUNT_ATTEMPTS": "1000", "LATCHD_GUARDS_ADDRESS_ATTEMPTS": "1000",
            "LATCHD_AUDIT_LOG": folder.file("audit.jsonl"),
        ])
        temporary = folder
    }

    /// Where both programs put temporary files, and the audit log.
    let temporary: TemporaryDirectory

    /// Everything that must be found nowhere.
    var search: SecretSearch {
        SecretSearch(
            secrets.all
                + known.withLock { $0 }.enumerated().map { ("\($0.element.name) \($0.offset)", $0.element.value) })
    }

    /// Keeps bytes to be searched at the end.
    func keep(_ text: String, _ place: String) {
        kept.withLock { $0.append((place, Array(text.utf8))) }
    }

    /// Counts a token among the secrets.
    func know(token: String) {
        know("token", token)
    }

    /// Counts something made on the way among the secrets.
    func know(_ name: String, _ value: String) {
        guard value.utf8.count >= SecretSearch.windowLength else {
            Issue.record("There is no \(name).")
            return
        }
        known.withLock { $0.append((name, value)) }
    }

    /// Runs a program in the house, or as another device of the same person's, and keeps what it says.
    @discardableResult
    func run(
        _ program: String, _ arguments: [String], input: String = "", device: String = "data"
    ) async throws -> Program.Result {
        let result = try await Program.run(
            Products.path(program), arguments, environment: environment(device), input: input)
        keep(result.output + result.errors, "\(program) \(arguments.joined(separator: " "))")
        return result
    }

    /// The environment of a device.
    func environment(_ device: String) -> [String: String] {
        base.environment.merging(["XDG_DATA_HOME": base.folder.file(device)]) { $1 }
    }

    /// Sends bytes to the gateway and keeps the answer.
    @discardableResult
    func send(_ request: String, to gateway: RunningGateway) throws -> String {
        let socket = try RawSocket(port: gateway.port)
        try socket.write(request)
        // A request that ends in the middle; of another one it would mean that nobody waits for the answer.
        if !request.contains("\r\n\r\n") { socket.finishWriting() }
        let response = (try? socket.readToEnd()) ?? ""
        keep(response, "the answer to a request")
        return response
    }

    /// Sends a request whose answer holds a token, which is known from then on, and keeps the rest of the answer.
    func token(_ request: String, from gateway: RunningGateway) throws -> String {
        let socket = try RawSocket(port: gateway.port)
        try socket.write(request)
        let (head, body) = try socket.readResponse()
        let parts = body.components(separatedBy: #""access_token":""#)
        guard parts.count == 2, let token = parts[1].split(separator: "\"").first.map(String.init), token.count == 43
        else { throw ChildProcess.Failure("No token in \(head)") }
        know(token: token)
        keep(head + body.replacing(token, with: ""), "the rest of an answer with a token")
        return token
    }

    /// What was found in everything kept, and in every file of the house and of the folders for temporary files.
    func findings() -> [SecretSearch.Finding] {
        let search = search
        return kept.withLock { $0 }.flatMap { search.findings(in: $0.bytes, place: $0.place) }
            + [base.folder.path, temporary.path].flatMap { Self.files(in: $0) }.flatMap {
                search.findings(in: $0.bytes, place: $0.path)
            }
    }

    /// What was found in files of everybody's that were written since `start`.
    func findingsElsewhere(since start: Date) -> [SecretSearch.Finding] {
        let search = search
        return ["/tmp", "/var/tmp", "/dev/shm"].flatMap { Self.files(in: $0, since: start) }.flatMap {
            search.findings(in: $0.bytes, place: $0.path)
        }
    }

    /// The files of a folder, also those in folders inside, that are no larger than 4 MiB.
    private static func files(in folder: String, since start: Date = .distantPast) -> [(path: String, bytes: [UInt8])] {
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.compactMap { name in
            let path = folder + "/" + name
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= 4 << 20,
                Double(status.st_mtim.tv_sec) >= start.timeIntervalSince1970 - 1
            else { return nil }
            return FileManager.default.contents(atPath: path).map { (path, Array($0)) }
        }
    }
}
