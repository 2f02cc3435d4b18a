import Foundation
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Opening files below a folder", .blocking)
struct ServedFileTests {
    private static func folder() throws -> TemporaryDirectory {
        let root = try TemporaryDirectory()
        for path in ["in", "in/sub"] { mkdir(root.file(path), 0o700) }
        try root.write("secret", to: "secret")
        try root.write("secret", to: "\u{301}secret")
        try root.write("a", to: "in/a")
        try root.write("b", to: "in/sub/b")
        symlink("sub/b", root.file("in/inner"))
        symlink("../secret", root.file("in/outer"))
        symlink(root.file("secret"), root.file("in/absolute"))
        symlink("..", root.file("in/up"))
        symlink("/proc/self/fd", root.file("in/magic"))
        mkfifo(root.file("in/pipe"), 0o600)
        return root
    }

    @Test(
        "a regular file is opened, in a subfolder and by a link within the folder",
        arguments: ["a", "sub/b", "inner"])
    func inside(_ path: String) throws {
        let root = try Self.folder()
        #expect(try ServedFile.open(path, beneath: root.file("in")).size == 1)
    }

    @Test(
        "`..`, outside links, absolute paths, folders, pipes and missing files are refused",
        arguments: [
            "../secret", "../\u{301}secret", "sub/../../secret", "sub/..", "outer", "absolute", "up/secret",
            "/etc/passwd", "magic/0", "",
            ".", "sub", "sub/", "pipe", "none", "a/b", "a\0", "a\0b", String(repeating: "a", count: 5_000),
        ])
    func outside(_ path: String) throws {
        let root = try Self.folder()
        let error = #expect(throws: HTTPServerError.self) {
            _ = try ServedFile.open(path, beneath: root.file("in"))
        }
        #expect(error?.code == .noFile, "\(error?.message ?? "")")
    }

    @Test("without support by the system, no links are followed")
    func withoutLinks() throws {
        let root = try Self.folder()
        let folder = open(root.file("in"), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(folder) }
        for path in ["a", "sub/b"] {
            let file = ServedFile.openWithoutLinks(path, folder)
            #expect(file >= 0)
            close(file)
        }
        // To `Character`, a slash before a mark that combines is no slash.
        for path in ["inner", "outer", "absolute", "up/secret", "magic/0", "none", "../secret", "../\u{301}secret"] {
            #expect(ServedFile.openWithoutLinks(path, folder) == -1)
        }
    }

    @Test("a missing folder and an unreadable file are reported")
    func refused() throws {
        let root = try Self.folder()
        let error = #expect(throws: HTTPServerError.self) {
            _ = try ServedFile.open("a", beneath: root.file("nowhere"))
        }
        #expect(error?.message.contains("there is no such regular file") == true)
    }
}
