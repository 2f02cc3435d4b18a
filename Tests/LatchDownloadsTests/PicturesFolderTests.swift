import Foundation
import TestSupport
import Testing

@testable import LatchDownloads

/// The person's pictures folder and the access to it.
@Suite struct PicturesFolderTests {
    @Test("IM-6 the access to the pictures folder is checked; the default is Pictures in the home folder")
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
