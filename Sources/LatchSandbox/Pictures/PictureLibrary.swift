import FoundationEssentials

/// The sandbox's photographs and films, generated in formats that every viewer opens, for each person and for everyone.
enum PictureLibrary {
    /// Creates the folders and files of the library below `folder`.
    ///
    /// - Throws: ``SandboxError/Code/folder`` when a file or folder cannot be written.
    static func make(in folder: String) throws(SandboxError) {
        for picture in pictures {
            let path = folder + "/" + picture.path
            let parent = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
            do {
                try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
                try Data(picture.bytes).write(to: URL(filePath: path))
            } catch {
                throw SandboxError(.folder, "Could not create the picture '\(path)': \(error)")
            }
        }
    }

    private struct Picture: Sendable {
        let path: String
        let bytes: [UInt8]
    }

    /// Generated once per process, when the first sandbox is created.
    private static let pictures = [
        photograph("ada@example.org/2024/Sommer an der See/Strand bei Ebbe.jpg", .evening, "2024:07:01 21:14:03"),
        photograph("ada@example.org/2024/Sommer an der See/Möwen über Dächern.jpg", .roofs, "2024:07:02 09:30:00"),
        photograph("ada@example.org/2024/Sommer an der See/IMG_0001.JPG", .water, "2024:07:03 15:20:10"),
        film("ada@example.org/2024/Sommer an der See/IMG_0001.MOV", .water, 1_720_012_810, count: 15),
        photograph("ada@example.org/2024/Sommer an der See/IMG_0002.JPG", .garden, "2024:07:03 15:21:44"),
        film("ada@example.org/2024/Sommer an der See/IMG_0002.MOV", .garden, 1_720_012_904, count: 15),
        film("ada@example.org/2024/Sommer an der See/Wellen am Strand.mp4", .evening, 1_719_949_200, count: 40),
        Picture(
            path: "ada@example.org/Bildschirm 2024-08-09.png",
            bytes: PNGPicture(width: 120, height: 80, scene: .roofs).bytes()),
        Picture(
            path: "ada@example.org/Großes Panorama.jpg",
            bytes: JPEGPicture(
                width: 2_304, height: 640, scene: .evening,
                exif: ExifBlock.bytes(taken: "2023:10:22 17:45:00", offset: "+02:00"), isGrainy: true
            ).bytes()),
        photograph("ada@example.org/.locked/Nur für mich.jpg", .garden, "2024:01:02 03:04:05"),
        photograph("bob@example.org/Werkstatt.jpg", .garden, "2024:05:17 18:30:59"),
        photograph("shared/Familie/Gruppenbild.jpg", .garden, "2024:06:15 14:00:00"),
    ]

    private static func photograph(_ path: String, _ scene: Scene, _ taken: String) -> Picture {
        Picture(
            path: path,
            bytes: JPEGPicture(
                width: 640, height: 480, scene: scene, exif: ExifBlock.bytes(taken: taken, offset: "+02:00")
            ).bytes())
    }

    private static func film(_ path: String, _ scene: Scene, _ taken: Int, count: Int) -> Picture {
        Picture(
            path: path,
            bytes: FilmFile(
                film: Film(width: 96, height: 64, scene: scene, count: count), isQuickTime: path.hasSuffix(".MOV"),
                taken: taken
            ).bytes())
    }
}
