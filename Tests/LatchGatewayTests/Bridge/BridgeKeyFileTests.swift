import Crypto
import Foundation
import TestSupport
import Testing

@testable import GatewayCore
@testable import LatchGateway
@testable import SignInBridge

@Suite struct BridgeKeyFileTests {
    @Test("OX-15 the key is created once, readable only by its owner, and used by the next gateway")
    func createdOnce() throws {
        let folder = try TemporaryDirectory()
        let file = BridgeKeyFile(path: folder.path + "/bridge.key")

        let secret = try file.secret()

        #expect(secret.count == 32)
        #expect(try file.secret() == secret)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["bridge.key"])
    }

    @Test("OX-15 gateways that start at the same time use one key")
    func race() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/bridge.key"

        let keys = try await withThrowingTaskGroup { group in
            for _ in 0..<32 { group.addTask { try BridgeKeyFile(path: path).secret().reveal() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }

        #expect(keys.count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["bridge.key"])
    }

    @Test("an invalid key file, or one that others can read, is refused with the remedy")
    func refused() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/bridge.key"
        let file = BridgeKeyFile(path: path)

        try Data("not a key\n".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(#expect(throws: GatewayError.self) { try file.secret() }?.message.contains("remove it") == true)

        try Data((Base64URL.encode([UInt8](repeating: 9, count: 32)) + "\n").utf8).write(to: URL(filePath: path))
        for mode in [0o644, 0o602, 0o620, 0o604] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            #expect(#expect(throws: GatewayError.self) { try file.secret() }?.message.contains("chmod 600") == true)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        #expect(try file.secret() == Secret(bytes: [UInt8](repeating: 9, count: 32)))

        let error = #expect(throws: GatewayError.self) { try BridgeKeyFile(path: folder.path).secret() }
        #expect(error?.message.contains("bridge.key_file") == true)
        let missing = #expect(throws: GatewayError.self) { try BridgeKeyFile(path: path + "/no/x").secret() }
        #expect(missing?.code == .file)
    }
}
