import Foundation
import TestSupport
import Testing

@testable import LatchDownloads

/// The person's pictures folder and the access to it.
@Suite struct PicturesFolderTests {
    @Test(
        "IM-6 the folder is the one that the person's settings name",
        arguments: [
            (#"XDG_PICTURES_DIR="$HOME/Bilder""#, "/home/ada/Bilder"), (#"XDG_PICTURES_DIR="/media/p""#, "/media/p"),
            ("# XDG_PICTURES_DIR=\"/no\"\n  XDG_PICTURES_DIR=\"/a//b/\"\n", "/a/b"),
            (#"XDG_PICTURES_DIR="$HOME/""#, "/home/ada"),
            (#"XDG_PICTURES_DIR="/a\"b\\c""#, #"/a"b\c"#), (#"XDG_PICTURES_DIR="Bilder""#, nil),
            (#"XDG_PICTURES_DIR="$HOMER/x""#, nil), (#"XDG_PICTURES_DIR="/open"#, nil), ("XDG_MUSIC_DIR=\"/m\"", nil),
            ("", nil),
        ] as [(String, String?)])
    func settings(_ text: String, _ path: String?) {
        #expect(PicturesFolder.path(in: text, home: "/home/ada") == path)
    }

    @Test("IM-6 whether it can be written in is looked up, with Pictures at home where nothing is set")
    func access() throws {
        let home = try TemporaryDirectory()
        let environment = ["HOME": home.path]
        #expect(
            PicturesFolder.current(environment: environment) == .init(path: home.file("Pictures"), access: .missing))
        try FileManager.default.createDirectory(atPath: home.file("Pictures"), withIntermediateDirectories: false)
        #expect(PicturesFolder.current(environment: environment).access == .writable)
        #expect(PicturesFolder.current(environment: [:]) == .init(path: nil, access: .missing))

        _ = FileManager.default.createFile(atPath: home.file("file"), contents: Data())
        #expect(PicturesFolder.current(environment: ["HOME": home.file("file")]).access == .refused)
    }
}
