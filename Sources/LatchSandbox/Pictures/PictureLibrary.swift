import FoundationEssentials

/// The sandbox's photographs and films, for each person and for everyone. `Files/README.md` describes the files.
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

    private static let pictures: [(path: String, bytes: [UInt8])] = [
        ("ada@example.org/2024/Sommer an der See/Strand bei Ebbe.jpg", PackageResources.beach_jpg),
        ("ada@example.org/2024/Sommer an der See/Möwen über Dächern.jpg", PackageResources.roofs_jpg),
        ("ada@example.org/2024/Sommer an der See/IMG_0001.JPG", PackageResources.live_water_jpg),
        ("ada@example.org/2024/Sommer an der See/IMG_0001.MOV", PackageResources.live_water_mov),
        ("ada@example.org/2024/Sommer an der See/IMG_0002.JPG", PackageResources.live_garden_jpg),
        ("ada@example.org/2024/Sommer an der See/IMG_0002.MOV", PackageResources.live_garden_mov),
        ("ada@example.org/2024/Sommer an der See/Wellen am Strand.mp4", PackageResources.waves_mp4),
        ("ada@example.org/Bildschirm 2024-08-09.png", PackageResources.screen_png),
        ("ada@example.org/Großes Panorama.jpg", enlarged(PackageResources.panorama_jpg)),
        ("ada@example.org/.locked/Nur für mich.jpg", PackageResources.locked_jpg),
        ("bob@example.org/Werkstatt.jpg", PackageResources.workshop_jpg),
        ("shared/Familie/Gruppenbild.jpg", PackageResources.group_jpg),
    ]

    /// Returns the photograph with 5.2 MB after its end. Viewers ignore them, like the film at the end of a motion photo.
    private static func enlarged(_ photograph: [UInt8]) -> [UInt8] {
        let block = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 * 40_503 >> 8) }
        return (0..<80).reduce(into: photograph) { file, number in file += [UInt8(number)] + block }
    }
}
