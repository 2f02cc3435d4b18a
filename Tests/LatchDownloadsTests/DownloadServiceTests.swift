import Foundation
import LatchKit
import TestSupport
import Testing

@testable import LatchDownloads

/// The program that downloads in the background, as another front end starts it. Its service and autostart entry are
/// tested with the built program.
@Suite(.timeLimit(.minutes(5))) struct DownloadServiceTests {
    private let folder = try! TemporaryDirectory()

    private func install(_ path: String, mode: Int = 0o755) throws {
        let url = URL(fileURLWithPath: folder.file(path))
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("#!/bin/sh\n".utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
    }

    private func path(_ folders: String) throws -> String {
        try ServiceProgram.path(["PATH": folders], beside: folder.file("app/latch-desktop"))
    }

    @Test("DL-17 the program that downloads is found beside the app, or else on PATH")
    func found() throws {
        try install("first/latch", mode: 0o644)
        try install("second/latch")
        try FileManager.default.createDirectory(atPath: folder.file("third/latch"), withIntermediateDirectories: true)
        let folders = ["third", "first", "second"].map(folder.file).joined(separator: ":")
        #expect(try path(folders) == folder.file("second/latch"))
        try install("app/latch")
        #expect(try path(folders) == folder.file("app/latch"))
    }

    @Test("DL-17 without the program the error says which package to install")
    func missing() throws {
        let error = #expect(throws: LatchError.self) { try path(".:" + folder.file("nothing")) }
        #expect(error?.code == .backgroundFailed && error?.remedy == .installPackage("latchstring"))
        #expect(
            error?.message
                == "Could not start the download: the program 'latch' is missing. Install the package 'latchstring', and "
                + "try again.")
    }

    @Test("DL-17 the program gets what it needs to find accounts and servers, and no password of a proxy")
    func environment() {
        let environment = [
            "HOME": "/home/ada", "XDG_DATA_HOME": "/data", "https_proxy": "http://proxy.example:8080",
            "http_proxy": "http://ada:secret@proxy.example", "SSL_CERT_FILE": "/certificates", "OTHER": "1",
        ]
        let stored = ServiceEnvironment(environment)
        #expect(stored.excluded == ["http_proxy"])
        #expect(stored.variables["https_proxy"] == "http://proxy.example:8080")
        #expect(stored.variables["XDG_DATA_HOME"] == "/data" && stored.variables["SSL_CERT_FILE"] == "/certificates")
        #expect(stored.variables["OTHER"] == nil && stored.variables["http_proxy"] == nil)
    }
}
