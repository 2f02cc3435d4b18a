import CLibrary
import FoundationEssentials
import Primitives

/// The folder that contains a file, and what other users may do there.
package enum ParentFolder {
    /// Returns the path of the folder of a path.
    package static func path(of file: String) -> String {
        guard let folder = file.split(atLastByte: "/")?.head else { return "." }
        return folder.isEmpty ? "/" : String(folder)
    }

    /// Refuses a file whose folder belongs to another user, or in which another user can replace what is in it, for
    /// example by a link to another place. The same holds for the folders above it, except that a group may write there,
    /// and for the symbolic links of the path and the folders that they are in.
    ///
    /// - Parameters:
    ///   - file: The path of the file. A folder that does not exist is accepted: what uses it reports that.
    ///   - allowsSticky: Whether others may add files if they cannot replace those of this user (`/tmp`).
    ///   - act: What the command does, for the message: a verb and its object.
    /// - Throws: ``GatewayError/Code/file``.
    ///
    /// Source: inode(7), "sticky bit"; path_resolution(7).
    package static func requireOwn(of file: String, allowsSticky: Bool, to act: String) throws(GatewayError) {
        guard let start = unsafe realpath(".", nil) else { return }
        defer { unsafe free(start) }
        // Somebody who may replace a folder or a symbolic link of the path can lead it elsewhere, so each is checked.
        var names = Array(path(of: file).split(atByte: "/").reversed())
        var folder = "/"
        if file.utf8.first != UInt8(ascii: "/") { names += unsafe String(cString: start).split(atByte: "/").reversed() }
        var links = 0
        while let name = names.popLast() {
            guard name != "." else { continue }
            guard name != ".." else {
                folder = path(of: folder)
                continue
            }
            // Others cannot rename this user's folders in a folder with the sticky bit.
            try requireOwn(folder, writers: 0o002, allowsSticky: true, to: act)
            let next = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
            var status = stat()
            guard unsafe lstat(next, &status) == 0 else { return }
            guard status.st_mode & S_IFMT == S_IFLNK else {
                folder = next
                continue
            }
            guard [0, geteuid()].contains(status.st_uid) else {
                throw GatewayError(
                    .file,
                    "Could not \(act): the symbolic link '\(next)' belongs to another user (uid \(status.st_uid)); name "
                        + "the folder itself.")
            }
            links += 1
            guard links <= 40, let target = try? FileManager.default.destinationOfSymbolicLink(atPath: next) else {
                return
            }
            if target.utf8.first == UInt8(ascii: "/") { folder = "/" }
            names += target.split(atByte: "/").reversed()
        }
        try requireOwn(folder, writers: 0o022, allowsSticky: allowsSticky, to: act)
    }

    private static func requireOwn(
        _ folder: String, writers: mode_t, allowsSticky: Bool, to act: String
    ) throws(GatewayError) {
        var status = stat()
        guard unsafe stat(folder, &status) == 0 else { return }
        let isOwned = [0, geteuid()].contains(status.st_uid)
        let isShared = status.st_mode & writers != 0 && !(allowsSticky && status.st_mode & S_ISVTX != 0)
        guard !isOwned || isShared else { return }
        throw GatewayError(
            .file,
            "Could not \(act): "
                + (isOwned
                    ? "other users may replace what is in the folder '\(folder)'; remove their permission (chmod go-w) "
                    : "the folder '\(folder)' belongs to another user (uid \(status.st_uid)); run this as that user ")
                + "or use a folder of this user (uid \(geteuid())).")
    }

    /// Refuses an existing file that belongs to another user, or that other users may read or write.
    ///
    /// - Parameters:
    ///   - file: The path of the file. One that does not exist is accepted.
    ///   - act: What the command does, for the message: a verb and its object.
    /// - Throws: ``GatewayError/Code/file``.
    package static func requirePrivate(_ file: String, to act: String) throws(GatewayError) {
        var status = stat()
        guard unsafe stat(file, &status) == 0 else { return }
        guard status.st_uid == geteuid() else {
            throw GatewayError(
                .file,
                "Could not \(act): '\(file)' belongs to another user (uid \(status.st_uid)); name another file.")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw GatewayError(
                .file,
                "Could not \(act): other users may read or write '\(file)'; remove their permission (chmod go-rwx) or "
                    + "name another file.")
        }
    }

    /// Flushes the folder of a file, so that the file's name is on the disk too. Errors are ignored, because no remedy
    /// exists for them.
    ///
    /// Source: fsync(2).
    package static func flush(of file: String) {
        let descriptor = unsafe open(path(of: file), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
