import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Desktop

/// Links handed from one program to another of the same user, over real sockets.
@Suite(.timeLimit(.minutes(20))) struct LinkReceiverTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.file("links"))
    }

    @Test("OX-9 the expected link is accepted once, and its socket is removed after the wait")
    func acceptsOnce() async throws {
        let links = try LinkFolder(folder.file("links"))
        let receiver = try LinkReceiver(named: "abc", in: links) { $0 == "right" }

        let wrong = #expect(throws: DesktopError.self) { try LinkDelivery.deliver("wrong", to: "abc", in: links) }
        try LinkDelivery.deliver("right", to: "abc", in: links)
        let again = #expect(throws: DesktopError.self) { try LinkDelivery.deliver("right", to: "abc", in: links) }
        var got: [String] = []
        for await link in receiver.links { got.append(link) }
        receiver.close()

        #expect(got == ["right"] && wrong?.code == .refused && again?.code == .refused)
        let closed = #expect(throws: DesktopError.self) { try LinkDelivery.deliver("right", to: "abc", in: links) }
        #expect(closed?.code == .noReceiver && closed?.message.contains("right") == false)
        #expect(try names().isEmpty)
    }

    @Test("A link that is too long or not valid text is refused")
    func malformed() throws {
        let links = try LinkFolder(folder.file("links"))
        let receiver = try LinkReceiver(named: "abc", in: links) { _ in true }
        defer { receiver.close() }

        let long = String(repeating: "x", count: LinkReceiver.longestLink + 1)
        let error = #expect(throws: DesktopError.self) { try LinkDelivery.deliver(long, to: "abc", in: links) }
        #expect(error?.code == .refused)
        let connection = try #require(LocalSocket.connect(to: "abc", in: links))
        defer { close(connection) }
        LocalSocket.write([0xFF, 0xFE], to: connection)
        shutdown(connection, Int32(SHUT_WR))
        #expect(LocalSocket.read(connection, limit: 64) == Array("refused\n".utf8))
    }

    @Test("A refused folder closes only its own descriptor")
    func refusedFolder() async {
        // In a process of its own: a descriptor that is closed twice would be another test's.
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryDirectory()
            chmod(folder.path, 0o770)
            let isDone = Mutex(false)
            async let failures = BackgroundThread.run {
                var failures = 0
                while !isDone.withLock({ $0 }) {
                    let descriptor = dup(0)
                    sched_yield()
                    if close(descriptor) != 0 { failures += 1 }
                }
                return failures
            }
            for _ in 0..<20_000 {
                #expect(throws: DesktopError.self) { try LinkFolder(folder.path) }
            }
            isDone.withLock { $0 = true }
            #expect(await failures == 0)
        }
    }

    @Test("OX-9 the folder is created only for its owner, and one that others can access is not used")
    func folders() throws {
        _ = try LinkFolder(folder.file("links"))
        let mode = try FileManager.default.attributesOfItem(atPath: folder.file("links"))[.posixPermissions] as? Int
        #expect(mode == 0o700)

        for (name, mode) in [("readable", 0o750), ("searchable", 0o701), ("shared", 0o770)] {
            try FileManager.default.createDirectory(
                atPath: folder.file(name), withIntermediateDirectories: false, attributes: [.posixPermissions: mode])
            let error = #expect(throws: DesktopError.self) { try LinkFolder(folder.file(name)) }
            #expect(error?.code == .unsafeFolder && error?.message.contains("chmod 700") == true)
        }
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link"), withDestinationPath: folder.file("links"))
        #expect(throws: DesktopError.self) { try LinkFolder(folder.file("link")) }
        #expect(throws: DesktopError.self) { try LinkFolder(folder.file("missing/deeper")) }
        #expect(throws: DesktopError.self) { try LinkFolder(folder.file("absent"), isMade: false) }
        #expect(!FileManager.default.fileExists(atPath: folder.file("absent")))
    }

    @Test(
        "OX-9 a program of another user is ignored, even if it can reach the socket",
        .enabled(if: geteuid() == 0))
    func otherUser() async throws {
        let links = try LinkFolder(folder.file("links"))
        let receiver = try LinkReceiver(named: "abc", in: links) { _ in true }
        let above = (folder.path as NSString).deletingLastPathComponent
        #expect(chmod(above, 0o711) == 0)
        defer { chmod(above, 0o700) }
        for path in [folder.path, folder.file("links"), folder.file("links/abc")] { #expect(chmod(path, 0o777) == 0) }
        let script = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX)
            s.connect(sys.argv[1])
            try:
                s.sendall(b'right')
                s.shutdown(socket.SHUT_WR)
                print(s.recv(64))
            except OSError:
                print(b'')
            """
        let answer = try await Program.run(
            "setpriv", ["--reuid=65534", "--clear-groups", "/usr/bin/python3", "-c", script, folder.file("links/abc")])
        #expect(answer.status == 0 && answer.output == "b''\n", "\(answer.output)\(answer.errors)")

        try LinkDelivery.deliver("right", to: "abc", in: links)
        receiver.close()
    }

    @Test("A path that is longer than a socket address works")
    func longPath() async throws {
        let deep = folder.file(String(repeating: "d", count: 200))
        let links = try LinkFolder(deep)
        let receiver = try LinkReceiver(named: "abc", in: links) { _ in true }
        try LinkDelivery.deliver("here", to: "abc", in: links)
        for await link in receiver.links { #expect(link == "here") }
        receiver.close()
    }

    @Test("A socket of a killed program is removed by the next wait, and one in use is not")
    func removesStaleSockets() throws {
        let links = try LinkFolder(folder.file("links"))
        let left = LocalSocket.listen(at: "left", in: links)
        close(left)
        let living = try LinkReceiver(named: "living", in: links) { _ in true }
        defer { living.close() }
        for name in ["left", "living"] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -120)], ofItemAtPath: folder.file("links/\(name)"))
        }
        try Data().write(to: URL(fileURLWithPath: folder.file("links/file")))

        let next = try LinkReceiver(named: "next", in: links) { _ in true }
        defer { next.close() }

        #expect(try names().sorted() == ["file", "living", "next"])
    }
}
