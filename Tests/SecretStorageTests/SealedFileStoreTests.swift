import Crypto
import Foundation
import SecretStorage
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(20))) struct SealedFileStoreTests {
    private let folder = try! TemporaryDirectory()
    private let key = SecretKey(service: "https://photos.example", account: "ada@example.org")
    private let small = try! Argon2idParameters(memoryKiB: 8, iterations: 1)
    private var path: String { folder.path + "/inner/secrets.sealed" }
    private var keyPath: String { folder.path + "/inner/secrets.key" }

    private func store(_ passphrase: String) -> SealedFileStore {
        SealedFileStore(path: path, unlock: .passphrase(Secret(passphrase)), parameters: small)
    }

    private func withKeyFile() -> SealedFileStore {
        SealedFileStore(path: path, unlock: .keyFile(path: keyPath), parameters: small)
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("a secret is stored for the next program, replaced, and removed", arguments: [true, false])
    func roundTrip(passphrase: Bool) async throws {
        let make = { passphrase ? store("x") : withKeyFile() }
        #expect(try await make().read(key) == nil)
        try await make().write(Secret("one"), for: key)
        #expect(try await make().read(key) == Secret("one"))
        try await make().write(Secret("two"), for: key)
        #expect(try await make().read(key) == Secret("two"))
        #expect(try await make().read(SecretKey(service: key.service, account: "other")) == nil)
        try await make().remove(key)
        try await make().remove(key)
        #expect(try await make().read(key) == nil)
    }

    @Test("the files are accessible only to their owner and contain no plaintext") func modes() async throws {
        try await withKeyFile().write(Secret("hunter2-hunter2"), for: key)
        #expect(try mode(path) == 0o600 && mode(keyPath) == 0o600)
        #expect(try mode(folder.path + "/inner") == 0o700)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(!bytes.leaks("hunter2-hunter2") && !bytes.leaks("photos.example"))
    }

    @Test("a wrong passphrase or key is distinguished from damage, and writes nothing")
    func wrongPassphraseOrKey() async throws {
        try await store("right").write(Secret("one"), for: key)
        for wrong in [store("wrong"), store(""), withKeyFile()] {
            let reading = await #expect(throws: SecretStorageError.self) { try await wrong.read(key) }
            #expect(reading?.code == .wrongPassphrase)
            let writing = await #expect(throws: SecretStorageError.self) {
                try await wrong.write(Secret("two"), for: key)
            }
            #expect(writing?.code == .wrongPassphrase)
        }
        #expect(try await store("right").read(key) == Secret("one"))
    }

    @Test(
        "every flipped byte and every prefix is reported as damage, never read as empty or another secret")
    func damage() async throws {
        try await withKeyFile().write(Secret("one"), for: key)
        let complete = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        for index in complete.indices {
            var flipped = complete
            flipped[index] ^= 0x20
            for bytes in [flipped, Array(complete.prefix(index))] {
                try Data(bytes).write(to: URL(fileURLWithPath: path))
                let error = await #expect(throws: SecretStorageError.self) { try await withKeyFile().read(key) }
                #expect(error?.code == .damaged, "byte \(index)")
            }
        }
        await #expect(throws: SecretStorageError.self) { try await withKeyFile().write(Secret("two"), for: key) }
    }

    @Test(
        "a key has 64 hexadecimal digits for 32 bytes; anything else is refused before a file is created")
    func digits() async throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/inner", withIntermediateDirectories: true)
        func put(_ bytes: [UInt8]) throws {
            try Data(bytes).write(to: URL(fileURLWithPath: keyPath))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: keyPath)
        }
        let raw = (0..<32).map { UInt8($0 * 7 % 256) }
        try put(raw)
        try await withKeyFile().write(Secret("one"), for: key)
        let text = raw.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        for spelling in [text, text.uppercased(), text + "\n"] {
            try put(Array(spelling.utf8))
            try await withKeyFile().check()
            #expect(try await withKeyFile().read(key) == Secret("one"))
        }
        try FileManager.default.removeItem(atPath: path)
        for wrong in [Array(text.utf8.dropLast()), Array((text + "\r").utf8), Array(("g" + text.dropFirst()).utf8), []]
        {
            try put(wrong)
            let error = try await #require(throws: SecretStorageError.self) { try await withKeyFile().check() }
            #expect(error.code == .damaged && error.message.contains("32 bytes or 64 hexadecimal digits"))
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("secrets with the same service and account are distinguished by their ids", arguments: [true, false])
    func ids(passphrase: Bool) async throws {
        let make = { passphrase ? store("x") : withKeyFile() }
        let keys = ["1", "2"].map { SecretKey(service: key.service, account: key.account, id: $0) }
        for (index, key) in keys.enumerated() { try await make().write(Secret("secret \(index)"), for: key) }
        for (index, key) in keys.enumerated() { #expect(try await make().read(key) == Secret("secret \(index)")) }
        #expect(try await make().read(key) == nil)
        try await make().remove(keys[0])
        #expect(try await make().read(keys[0]) == nil)
        #expect(try await make().read(keys[1]) != nil)
    }

    @Test("another key file is distinguished from damage, and writes nothing") func wrongKeyFile() async throws {
        try await withKeyFile().write(Secret("one"), for: key)
        let right = try Data(contentsOf: URL(fileURLWithPath: keyPath))
        try Data(repeating: 7, count: 32).write(to: URL(fileURLWithPath: keyPath))

        let reading = await #expect(throws: SecretStorageError.self) { try await withKeyFile().read(key) }
        #expect(
            reading?.code == .wrongPassphrase && reading?.message.contains("with which it was sealed") == true)
        let writing = await #expect(throws: SecretStorageError.self) {
            try await withKeyFile().write(Secret("two"), for: key)
        }
        #expect(writing?.code == .wrongPassphrase)

        try right.write(to: URL(fileURLWithPath: keyPath))
        #expect(try await withKeyFile().read(key) == Secret("one"))
    }

    @Test("a key file of another user, or that is not a regular file, is refused with the remedy")
    func unusableKeyFile() async throws {
        try await withKeyFile().write(Secret("one"), for: key)
        if geteuid() == 0 {
            try FileManager.default.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: keyPath)
            let strange = await #expect(throws: SecretStorageError.self) { try await withKeyFile().read(key) }
            #expect(strange?.code == .denied && strange?.message.contains("run chown on it") == true)
            try FileManager.default.setAttributes([.ownerAccountID: 0], ofItemAtPath: keyPath)
        }
        try FileManager.default.moveItem(atPath: keyPath, toPath: keyPath + ".moved")
        try FileManager.default.createSymbolicLink(atPath: keyPath, withDestinationPath: keyPath + ".moved")
        let link = await #expect(throws: SecretStorageError.self) { try await withKeyFile().read(key) }
        #expect(link?.code == .denied && link?.message.contains("not a regular file") == true)
    }

    @Test(
        "a key file that others can access is refused, and a missing one is not created again")
    func keyFile() async throws {
        try await withKeyFile().write(Secret("one"), for: key)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: keyPath)
        let open = await #expect(throws: SecretStorageError.self) { try await withKeyFile().read(key) }
        #expect(open?.code == .denied && open?.message.contains("chmod 600") == true)
        try FileManager.default.removeItem(atPath: keyPath)
        let error = await #expect(throws: SecretStorageError.self) {
            try await withKeyFile().write(Secret("x"), for: key)
        }
        #expect(error?.code == .absent)
        #expect(!FileManager.default.fileExists(atPath: keyPath))
    }

    @Test("concurrent writers lose nothing") func writers() async throws {
        let account = { @Sendable (number: Int) in SecretKey(service: "s", account: "\(number)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<24 {
                let store = withKeyFile()
                group.addTask { try await store.write(Secret("\(number)"), for: account(number)) }
            }
            try await group.waitForAll()
        }
        for number in 0..<24 { #expect(try await withKeyFile().read(account(number)) == Secret("\(number)")) }
    }

    @Test("eight programs that write concurrently lose nothing") func programs() async throws {
        let inner = folder.path + "/inner"
        let probe = try Products.path("SecretProbe")
        try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<8 {
                group.addTask { try await Program.run(probe, ["fill", inner, "\(number)", "20"]).output }
            }
            for try await said in group { #expect(said == "filled\n") }
        }
        for program in 0..<8 {
            for number in 0..<20 {
                let name = "\(program)/\(number)"
                #expect(try await withKeyFile().read(SecretKey(service: "fill", account: name)) == Secret(name))
            }
        }
    }

    @Test("the requested file is reported, and automatic continues to use it")
    func choice() async throws {
        let opened = try await openSecretStorage(choice: .file, folder: folder.path + "/inner")
        #expect(opened.kind == .file && opened.explanation.contains(path))
        try await opened.store.write(Secret("one"), for: key)
        let again = try await openSecretStorage(choice: .automatic, folder: folder.path + "/inner")
        #expect(again.kind == .file)
        #expect(try await again.store.read(key) == Secret("one"))
    }

    @Test("after writing and reading neither the secret nor the key is left in the program's memory")
    func memory() async throws {
        let secret = SecureRandom.bytes(32)
        let child = try ChildProcess(Products.path("SecretProbe"), ["hold", folder.path])
        child.input.write(secret)
        let output = await BackgroundThread.run { child.output.read() }
        try #require(String(decoding: output, as: UTF8.self) == "held\n")
        let key = Array(try #require(FileManager.default.contents(atPath: folder.path + "/secrets.key")))
        let regions = try ProcessMemory.writable(of: child.id)

        for (name, bytes) in [("secret", secret), ("key", key)] {
            for start in stride(from: 0, through: 20, by: 4) {
                let piece = Array(bytes[start..<start + 12])
                let names = regions.filter { $0.bytes.leaks(piece) }.map(\.name)
                #expect(names.isEmpty, "The \(name)'s bytes from \(start) are in \(names)")
            }
        }
        // That memory was read at all: the account's name is no secret.
        let path = Array((folder.path + "/secrets.sealed").utf8)
        #expect(regions.contains { $0.bytes.leaks(path) })
        child.input.close()
        #expect(await child.waitForExit() == 0)
    }
}
