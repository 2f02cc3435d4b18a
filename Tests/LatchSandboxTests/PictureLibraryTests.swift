import Foundation
import TestSupport
import Testing

@testable import LatchSandbox

@Suite("The sandbox's pictures", .timeLimit(.minutes(20)))
struct PictureLibraryTests {
    private static let summer = "ada@example.org/2024/Sommer an der See/"
    /// The format, the size in pixels and the time of each photograph, as the program in ``photographs()`` prints them.
    private static let photographs = [
        summer + "Strand bei Ebbe.jpg": "JPEG (320, 240) 2024:07:01 21:14:03+02:00",
        summer + "Möwen über Dächern.jpg": "JPEG (320, 240) 2024:07:02 09:30:00+02:00",
        summer + "IMG_0001.JPG": "JPEG (320, 240) 2024:07:03 15:20:10+02:00",
        summer + "IMG_0002.JPG": "JPEG (320, 240) 2024:07:03 15:21:44+02:00",
        "ada@example.org/Bildschirm 2024-08-09.png": "PNG (120, 80) ",
        "ada@example.org/Großes Panorama.jpg": "JPEG (960, 240) 2023:10:22 17:45:00+02:00",
        "ada@example.org/.locked/Nur für mich.jpg": "JPEG (320, 240) 2024:01:02 03:04:05+02:00",
        "bob@example.org/Werkstatt.jpg": "JPEG (320, 240) 2024:05:17 18:30:59+02:00",
        "shared/Familie/Gruppenbild.jpg": "JPEG (320, 240) 2024:06:15 14:00:00+02:00",
    ]
    /// The codec, the width, the height and the number of frames of each film, as ffprobe prints them.
    private static let films = [
        summer + "IMG_0001.MOV": "h264,160,120,15", summer + "IMG_0002.MOV": "h264,160,120,15",
        summer + "Wellen am Strand.mp4": "h264,160,120,40",
    ]
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        try PictureLibrary.make(in: folder.path)
    }

    private func run(_ program: String, _ arguments: [String]) async throws -> String {
        let result = try await Program.run(program, arguments)
        #expect(result.status == 0 && result.errors.isEmpty, "\(program): \(result.errors)")
        return result.output.trimmingCharacters(in: .newlines)
    }

    @Test("photographs are decoded by Pillow, with the camera's time")
    func photographs() async throws {
        let program = """
            import sys
            from PIL import Image
            image = Image.open(sys.argv[1])
            image.load()
            camera = image.getexif().get_ifd(0x8769)
            print(image.format, image.size, camera.get(0x9003, "") + camera.get(0x9011, ""))
            """
        for (path, expected) in Self.photographs {
            #expect(try await run("/usr/bin/python3", ["-c", program, folder.file(path)]) == expected, "\(path)")
        }
    }

    @Test(
        "films are decoded by ffmpeg",
        .enabled("ffprobe is missing") { try await Program.run("/bin/sh", ["-c", "command -v ffprobe"]).status == 0 })
    func films() async throws {
        let fields = "stream=codec_name,width,height,nb_read_frames"
        for (path, expected) in Self.films {
            let options = ["-v", "error", "-count_frames", "-show_entries", fields, "-of", "csv=p=0"]
            #expect(try await run("ffprobe", options + [folder.file(path)]) == expected, "\(path)")
        }
    }

    @Test("there are two live photos, each a photograph and a film with the same identifier")
    func livePhotos() async throws {
        var identifiers: Set<String> = []
        for name in ["IMG_0001", "IMG_0002"] {
            // Older versions of exiftool call the identifier of the photograph MediaGroupUUID.
            let options = ["-s3", "-MediaGroupUUID", "-ContentIdentifier"]
            let photograph = try await run("exiftool", options + [folder.file(Self.summer + name + ".JPG")])
            let film = try await run("exiftool", options + [folder.file(Self.summer + name + ".MOV")])
            #expect(UUID(uuidString: photograph) != nil && photograph == film, "\(name)")
            identifiers.insert(photograph)
        }
        #expect(identifiers.count == 2)
    }

    @Test("the files are different, and one is larger than 5 MB")
    func files() throws {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        let contents = paths.compactMap { try? Data(contentsOf: URL(filePath: folder.file($0))) }
        #expect(Set(contents).count == Self.photographs.count + Self.films.count)
        #expect(contents.count { $0.count > 5_000_000 } == 1)
    }
}
