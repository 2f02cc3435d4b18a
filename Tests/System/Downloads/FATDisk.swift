import Foundation
import TestSupport
import Testing

/// A disk of FAT in a file, mounted by a program of user space: the kernel's own FAT is not needed.
///
/// It can neither rename without replacing nor link, keeps no attributes, takes both cases of a letter for one, refuses
/// characters beyond ASCII, and counts times in steps of two seconds.
///
/// Source: fusefat(1), mkfs.fat(8).
struct FATDisk {
    /// Where it is mounted.
    let path: String

    /// Whether this system lets a program mount one.
    static let isPossible = Task {
        let folder = try TemporaryDirectory()
        guard let disk = try? await mount(at: folder.file("disk"), in: folder) else { return false }
        await disk.unmount()
        return true
    }

    /// Mounts an empty one.
    ///
    /// - Throws: ``ChildProcess/Failure`` where this system lets nobody mount one.
    static func mount(at path: String, in folder: TemporaryDirectory) async throws -> FATDisk {
        let image = folder.file("fat")
        try #require(FileManager.default.createFile(atPath: image, contents: nil) && truncate(image, 128 << 20) == 0)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        // With room for 256 names in each piece of a folder: fusefat 0.1 leaves entries behind where a folder has more of them.
        let made = try await Program.run("/usr/sbin/mkfs.fat", ["-F", "16", "-s", "64", image])
        try #require(made.status == 0, "\(made.errors)")
        // It returns when the disk is there, and stays behind.
        let result = try await Program.run("fusefat", ["-s", "-o", "rw+", image, path])
        guard result.status == 0 else {
            throw ChildProcess.Failure("This system mounts no disk for a program: \(result.errors)")
        }
        return FATDisk(path: path)
    }

    func unmount() async {
        let result = try? await Program.run("fusermount", ["-u", "-z", path])
        #expect(result?.status == 0, "\(result?.errors ?? "")")
    }
}
