import Foundation
import TestSupport
import Testing

@testable import LatchSandbox

@Suite("The sandbox's pictures", .timeLimit(.minutes(20)))
struct PictureLibraryTests {
    @Test("are what their names say, in the eyes of file, Pillow and ffprobe, where those are there")
    func foreignEyes() async throws {
        let folder = try TemporaryDirectory()
        try PictureLibrary.make(in: folder.path)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.contains(".") }
            .map(folder.file).filter { !$0.hasSuffix(".locked") && !$0.hasSuffix("example.org") && !isFolder($0) }
        #expect(paths.count == 12)

        for path in paths {
            let kind = path.split(separator: ".").last?.lowercased() ?? ""
            let words = ["jpg": "JPEG image data", "png": "PNG image data", "mov": "QuickTime", "mp4": "MP4"]
            if let said = try await ask("file", ["-b", path]) {
                #expect(said.contains(words[kind] ?? "?"), "\(path): \(said)")
            }
            if ["jpg", "png"].contains(kind), let said = try await ask("python3", ["-c", Self.pillow, path]) {
                #expect(said.hasPrefix(kind == "png" ? "PNG (120, 80)" : "JPEG"), "\(path): \(said)")
            }
            if ["mov", "mp4"].contains(kind), let said = try await ask("ffprobe", Self.probing + [path]) {
                #expect(said.hasPrefix("h264,96,64"), "\(path): \(said)")
            }
        }
        let sizes = try paths.map { try FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int ?? 0 }
        #expect(sizes.max() ?? 0 > 5_000_000)
    }

    private static let pillow = """
        import sys
        from PIL import Image
        image = Image.open(sys.argv[1])
        image.load()
        print(image.format, image.size)
        """
    private static let probing = [
        "-v", "error", "-count_frames", "-show_entries", "stream=codec_name,width,height,nb_read_frames", "-of",
        "csv=p=0",
    ]

    /// What a program says; nil when it is not there, and of Python when it has no Pillow.
    private func ask(_ program: String, _ arguments: [String]) async throws -> String? {
        let result = try await Program.run("/usr/bin/env", [program] + arguments)
        if result.status == 127 || result.errors.contains("No module named 'PIL'") { return nil }
        #expect(result.status == 0, "\(program): \(result.errors)")
        return result.output
    }

    private func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}
