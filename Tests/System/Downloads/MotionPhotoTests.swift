import Foundation
import TestSupport
import Testing

/// Live photos as one file each, read by programs that others wrote.
@Suite("Motion Photos", .blocking, .inTurn, .timeLimit(.minutes(20)))
struct MotionPhotoTests {
    /// A photograph made by another program, and changed as cameras and editors do.
    private struct Still: Sendable {
        var name: String
        var bytes: [UInt8]
    }

    private func run(_ program: String, _ arguments: [String]) async throws -> String {
        let result = try await Program.run(program, arguments)
        guard result.status == 0 else { throw ChildProcess.Failure("\(program): \(result.errors)") }
        return result.output
    }

    private func stills(_ folder: TemporaryDirectory) async throws -> [Still] {
        _ = try await run(
            "/usr/bin/python3",
            [
                "-c",
                """
                import sys
                from PIL import Image
                image = Image.effect_noise((320, 200), 80).convert('RGB')
                for name in ('bare', 'camera', 'edited', 'hdr', 'strange'):
                    image.save(f'{sys.argv[1]}/{name}.jpg', quality=90)
                image.save(f'{sys.argv[1]}/photo.heic', format='PNG')
                """, folder.path,
            ])
        let write = ["-q", "-overwrite_original"]
        _ = try await run(
            "exiftool", write + ["-Make=Pear", "-DateTimeOriginal=2024:07:03 15:20:10", folder.file("camera.jpg")])
        _ = try await run(
            "exiftool",
            write + ["-Make=Pear", "-XMP-xmp:Rating=4", "-XMP-dc:Title=Sea & sky", folder.file("edited.jpg")])
        try addPacket(Self.gainMap, to: folder.file("hdr.jpg"))
        _ = try await run("exiftool", write + ["-XMP-dc:Title=x", folder.file("strange.jpg")])
        var strange = try Data(contentsOf: URL(filePath: folder.file("strange.jpg")))
        let end = try #require(strange.firstRange(of: Data("</rdf:RDF>".utf8)))
        strange.replaceSubrange(end, with: Data("</rdf:XYZ>".utf8))
        try strange.write(to: URL(filePath: folder.file("strange.jpg")))
        return try ["bare.jpg", "camera.jpg", "edited.jpg", "hdr.jpg", "strange.jpg", "photo.heic"].map { name in
            Still(name: name, bytes: Array(try Data(contentsOf: URL(filePath: folder.file(name)))))
        }
    }

    /// As Ultra HDR photographs have it, whose gain map follows the picture.
    private static let gainMap = """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <rdf:Description rdf:about="" xmlns:Container="http://ns.google.com/photos/1.0/container/" \
        xmlns:Item="http://ns.google.com/photos/1.0/container/item/"><Container:Directory><rdf:Seq>
        <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="Primary" Item:Mime="image/jpeg"/></rdf:li>
        <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="GainMap" Item:Mime="image/jpeg" \
        Item:Length="7"/></rdf:li></rdf:Seq></Container:Directory></rdf:Description></rdf:RDF></x:xmpmeta>
        """

    private func addPacket(_ packet: String, to path: String) throws {
        var bytes = Array(try Data(contentsOf: URL(filePath: path)))
        let body = Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(packet.utf8)
        let length = body.count + 2
        bytes.insert(contentsOf: [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + body, at: 2)
        try Data(bytes + Array("GAINMAP".utf8)).write(to: URL(filePath: path))
    }

    private func video(_ brand: String) -> [UInt8] {
        Array("\0\0\0\u{14}ftyp\(brand)\0\0\0\0\(brand)".utf8)
            + patternBytes(3_000_000)
    }

    @Test(
        "DL-6 a live photo is one JPEG that other programs decode, with the video at the end and its offset in the XMP")
    func motionPhotos() async throws {
        let folder = try TemporaryDirectory()
        let video = video("qt  ")
        var pictures: [PictureServer.Picture] = []
        for (number, still) in try await stills(folder).enumerated() {
            var picture = PictureServer.Picture(number + 1, still.name, still.bytes)
            picture.video = PictureServer.Picture.id(number + 101)
            var moving = PictureServer.Picture(number + 101, "clip.mov", video)
            moving.visibility = "hidden"
            pictures += [picture, moving]
        }
        let server = try PictureServer(pictures)
        let fixture = try await PictureFixture(signedInTo: server)
        let result = try await fixture.latch("download", "--all", "--motion-photo")
        let again = try await fixture.latch("download", "--all", "--motion-photo")

        #expect(result.status == 0, "\(result.errors)")
        #expect(again.errors.contains("All 12 files are already here"), "\(again.errors)")
        #expect(result.errors.contains("photo.heic stays a photo and a video: only a JPEG"))
        #expect(result.errors.contains("strange.jpg stays a photo and a video"))
        #expect(
            fixture.files() == [
                "bare.MP.jpg", "camera.MP.jpg", "edited.MP.jpg", "hdr.MP.jpg", "photo.heic", "photo.mov", "strange.jpg",
                "strange.mov",
            ])
        for picture in pictures where picture.name.hasSuffix("jpg") && picture.name != "strange.jpg" {
            try await expectMotion(picture, video, fixture)
        }
        let title = try await run(
            "exiftool", ["-s3", "-XMP-dc:Title", "-XMP-xmp:Rating", "-EXIF:Make", fixture.library + "/edited.MP.jpg"])
        #expect(title.split(separator: "\n") == ["Sea & sky", "4", "Pear"])
        let items = try await run(
            "exiftool", ["-a", "-s3", "-XMP-Container:DirectoryItemSemantic", fixture.library + "/hdr.MP.jpg"])
        #expect(items.split(separator: "\n") == ["Primary", "GainMap", "MotionPhoto"])
    }

    /// The video is at the end, byte for byte, where the XMP says; the picture is decoded as before.
    private func expectMotion(_ still: PictureServer.Picture, _ video: [UInt8], _ fixture: PictureFixture) async throws
    {
        let name = still.name.replacing(".jpg", with: ".MP.jpg")
        let path = fixture.library + "/" + name
        let bytes = try fixture.bytes(name)
        #expect(bytes.suffix(video.count) == video[...], "\(name)")
        #expect(bytes.count < still.bytes.count + video.count + 4_000)
        let result = try await run(
            "exiftool",
            [
                "-s3", "-n", "-XMP-GCamera:MotionPhoto", "-XMP-GCamera:MotionPhotoVersion",
                "-XMP-GCamera:MotionPhotoPresentationTimestampUs", path,
            ])
        #expect(result.split(separator: "\n") == ["1", "1", "-1"], "\(name)")
        let items = try await run(
            "exiftool",
            ["-a", "-s3", "-XMP-Container:DirectoryItemMime", "-XMP-Container:DirectoryItemLength", path])
        let lines = items.split(separator: "\n")
        #expect(lines.contains("video/quicktime") && lines.last == "\(video.count)", "\(name): \(items)")
        let original = fixture.base.folder.file("original.jpg")
        try Data(still.bytes).write(to: URL(filePath: original))
        _ = try await run(
            "/usr/bin/python3",
            [
                "-c",
                """
                import sys
                from PIL import Image
                new, old = (Image.open(path) for path in sys.argv[1:])
                assert new.tobytes() == old.tobytes() and dict(new.getexif()) == dict(old.getexif())
                """, path, original,
            ])
        let warnings = try await run("exiftool", ["-s3", "-warning", "-error", path])
        #expect(warnings.isEmpty, "\(name): \(warnings)")
    }

    @Test("DL-6 a photograph that already contains its video stays unchanged, and is one file")
    func motionAlready() async throws {
        let folder = try TemporaryDirectory()
        let camera = try #require(try await stills(folder).first { $0.name == "camera.jpg" })
        let video = video("mp42")
        var still = PictureServer.Picture(1, "PXL_1.MP.jpg", camera.bytes)
        still.video = PictureServer.Picture.id(2)
        var moving = PictureServer.Picture(2, "PXL_1.mp4", video)
        moving.visibility = "hidden"
        let server = try PictureServer([still, moving])
        let fixture = try await PictureFixture(signedInTo: server)
        #expect(try await fixture.latch("download", "--all", "--motion-photo").status == 0)
        #expect(fixture.files() == ["PXL_1.MP.jpg"])

        let motionPhoto = try fixture.bytes("PXL_1.MP.jpg")
        server.change { $0[0].bytes = motionPhoto }
        let other = fixture.base.folder.file("Other")
        let result = try await fixture.latch("download", "--all", "--motion-photo", "--to", other)
        #expect(result.status == 0 && fixture.files(in: other) == ["PXL_1.MP.jpg"], "\(result.errors)")
        #expect(FileManager.default.contents(atPath: other + "/PXL_1.MP.jpg") == Data(motionPhoto))
    }
}
