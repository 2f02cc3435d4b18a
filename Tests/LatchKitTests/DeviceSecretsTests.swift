import Crypto
import Foundation
import LatchKit
import SecretStorage
import Synchronization
import TestSupport
import Testing

/// Which store holds this device's secrets.
@Suite("Device secrets", .timeLimit(.minutes(20)))
struct DeviceSecretsTests {
    private let folder: TemporaryDirectory
    private let folders: Folders
    private let key = SecretKey(service: "test", account: "one")

    init() throws {
        folder = try TemporaryDirectory()
        folders = Folders(data: folder.file("data"))
    }

    @Test("nothing is created or requested before the first use")
    func lazy() async throws {
        let secrets = DeviceSecrets(.file, folders: folders) { _ in
            Issue.record("asked for a passphrase")
            return nil
        }
        #expect(secrets.remembered == nil && secrets.label == "not chosen yet")
        #expect(!FileManager.default.fileExists(atPath: folders.data))
    }

    @Test("the store that was written to is recorded, and used by default")
    func remembers() async throws {
        try await DeviceSecrets(.file, folders: folders).write(Secret("token"), for: key)

        let later = DeviceSecrets(folders: folders)
        #expect(later.remembered == .file)
        #expect(try await later.read(key) == Secret("token"))
        #expect(try await later.open().kind == .file)
    }

    @Test("a different store than the recorded one is refused while there is an account")
    func refusesAnother() async throws {
        try await DeviceSecrets(.file, folders: folders).write(Secret("token"), for: key)

        let other = DeviceSecrets(.service, folders: folders)
        let error = await #expect(throws: LatchError.self) { try await other.open() }
        #expect(error?.code == .secretStoreDiffers)
        let refused = await #expect(throws: SecretStorageError.self) { try await other.read(key) }
        #expect(refused?.message == error?.message)
    }

    @Test("a passphrase is requested once, and only if the sealed file has one")
    func passphrase() async throws {
        let asked = AsyncStream<DeviceSecrets.PassphraseNeed>.makeStream()
        let ask: @Sendable (DeviceSecrets.PassphraseNeed) async throws -> Secret? = { need in
            asked.continuation.yield(need)
            return Secret("open sesame")
        }
        try await DeviceSecrets(.file, folders: folders, passphrase: ask).write(Secret("token"), for: key)
        let later = DeviceSecrets(folders: folders, passphrase: ask)
        _ = try await later.read(key)
        #expect(try await later.read(key) == Secret("token"))

        var needs = asked.stream.makeAsyncIterator()
        guard case .new = await needs.next(), case .existing = await needs.next() else {
            Issue.record("the two questions were others")
            return
        }
        asked.continuation.finish()
        #expect(await needs.next() == nil)

        let wrong = DeviceSecrets(folders: folders) { _ in Secret("close sesame") }
        let error = await #expect(throws: SecretStorageError.self) { try await wrong.read(key) }
        #expect(error?.code == .wrongPassphrase)
    }

    @Test("ten concurrent calls request the passphrase once, and continue if the requesting one is cancelled")
    func askedOnceAtATime() async throws {
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let (given, give) = AsyncStream<Secret>.makeStream()
        let isFirst = Mutex(true)
        let secrets = DeviceSecrets(.file, folders: folders) { _ in
            ask.yield()
            let mustGiveUp = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if mustGiveUp { try await Task.sleep(for: .seconds(3600)) }
            for await secret in given { return secret }
            throw CancellationError()
        }
        let first = Task { try await secrets.open() }
        var questions = asked.makeAsyncIterator()
        await questions.next()
        let others = (0..<9).map { _ in Task.immediate { try await secrets.open().kind } }

        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.cancellableValue }
        await questions.next()
        give.yield(Secret("open sesame"))
        for other in others { #expect(try await other.cancellableValue == .file) }

        ask.finish()
        #expect(await questions.next() == nil)
    }

    @Test("a configured key file locks the sealed file, and if it is missing no passphrase is requested")
    func keyFile() async throws {
        let path = folder.file("own.key")
        try await DeviceSecrets(.file, folders: folders, keyFile: path).write(Secret("token"), for: key)
        #expect(FileManager.default.fileExists(atPath: path))

        let without = DeviceSecrets(folders: folders) { _ in
            Issue.record("asked for a passphrase")
            return nil
        }
        let error = await #expect(throws: SecretStorageError.self) { try await without.read(key) }
        #expect(error?.code == .absent)
    }
}
