import CLibrary
import CMicroHTTPD

/// A file to serve: the open file and its properties at the time it was opened.
package struct ServedFile: Sendable {
    /// The open file.
    package let file: OpenFile
    /// The size in bytes.
    package let size: Int
    /// The time of the last modification, since 1970.
    package let modified: Duration
    /// The entity tag with its quotation marks, made from the size, the modification time in nanoseconds and the inode.
    ///
    /// The tag is strong, so that a download can be resumed with it: it changes when the file is replaced or written.
    /// The only exception is a file that is written in place twice, to the same size, within one tick of the file
    /// system's clock (4 ms).
    ///
    /// Source: RFC 9110 §8.8.1 and §8.8.3.
    package let entityTag: String

    /// Opens a regular file below a folder.
    ///
    /// - Parameters:
    ///   - path: The path relative to the folder. No component may be `..`, and no link may lead out of the folder.
    ///     Where the system cannot guarantee that (before Linux 5.6, or when the call is forbidden), no component may
    ///     be a link.
    ///   - folder: The path of the folder.
    /// - Returns: The open file with its current properties.
    /// - Throws: ``HTTPServerError`` with ``HTTPServerError/Code/noFile`` when the file does not exist, is not a
    ///   regular file or is outside the folder; with ``HTTPServerError/Code/notPermitted`` or
    ///   ``HTTPServerError/Code/system`` for other failures.
    ///
    /// Source: `openat2(2)`, RESOLVE_BENEATH.
    package static func open(_ path: String, beneath folder: String) throws(HTTPServerError) -> ServedFile {
        guard isPlain(path), !folder.isEmpty, !folder.utf8.contains(0) else {
            throw .file(path, beneath: folder, systemError: ENOENT)
        }
        let start = CLibrary.open(folder, latch_open_path | O_DIRECTORY | O_CLOEXEC)
        guard start >= 0 else { throw .file(path, beneath: folder, systemError: errno) }
        defer { close(start) }
        var descriptor = latch_open_beneath(start, path)
        // ENOSYS: Linux before 5.6. EPERM: forbidden by a seccomp filter. EINVAL: an unknown flag, see openat2(2).
        if descriptor < 0, [ENOSYS, EPERM, EINVAL].contains(errno) { descriptor = openWithoutLinks(path, start) }
        guard descriptor >= 0 else { throw .file(path, beneath: folder, systemError: errno) }
        return try ServedFile(OpenFile(descriptor: descriptor), at: path, beneath: folder)
    }

    private init(_ file: OpenFile, at path: String, beneath folder: String) throws(HTTPServerError) {
        var status = stat()
        // The open file is checked, because its path may lead to another file by now.
        guard fstat(file.descriptor, &status) == 0 else { throw .file(path, beneath: folder, systemError: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .file(path, beneath: folder, systemError: EISDIR) }
        self.file = file
        size = Int(status.st_size)
        modified = .seconds(status.st_mtim.tv_sec) + .nanoseconds(status.st_mtim.tv_nsec)
        let parts = [UInt64(status.st_size), Self.nanoseconds(status.st_mtim), UInt64(status.st_ino)]
        entityTag = "\"" + parts.map { String($0, radix: 16) }.joined(separator: "-") + "\""
    }

    private static func nanoseconds(_ time: timespec) -> UInt64 {
        // Wrapping, because a file may have any date, and the number is only compared for equality.
        UInt64(bitPattern: Int64(time.tv_sec)) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    private static func isPlain(_ path: String) -> Bool {
        !path.isEmpty && path.utf8.first != UInt8(ascii: "/") && !path.utf8.contains(0)
            && !components(of: path).contains("..")
    }

    /// Returns the components between the slashes, as the system reads a path: by bytes. As a `Character`, a slash with
    /// a combining mark is not equal to a slash.
    private static func components(of path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    }

    /// Opens the path component by component, without following links or going up.
    static func openWithoutLinks(_ path: String, _ folder: Int32) -> Int32 {
        var components = components(of: path)
        guard !components.contains(".."), let name = components.popLast() else {
            errno = ENOENT
            return -1
        }
        var current = folder
        defer { if current != folder { close(current) } }
        for component in components {
            let next = openat(current, component, latch_open_path | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard next >= 0 else { return -1 }
            if current != folder { close(current) }
            current = next
        }
        // Opening a pipe would block until a program writes to it.
        return openat(current, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    }
}

extension HTTPServerError {
    /// Returns the error for a file that could not be opened.
    ///
    /// Source: open(2), openat2(2).
    fileprivate static func file(_ path: String, beneath folder: String, systemError number: Int32) -> HTTPServerError {
        let act = "Could not open '\(path)' in the folder '\(folder)': "
        return switch number {
        case ENOENT, ENOTDIR, ENAMETOOLONG, EISDIR, ENXIO:
            HTTPServerError(.noFile, act + "there is no such regular file.", systemError: number)
        case EXDEV, ELOOP:
            HTTPServerError(.noFile, act + "its path or a symbolic link leads out of the folder.", systemError: number)
        case EACCES, EPERM:
            HTTPServerError(
                .notPermitted, act + "this user (uid \(getuid())) may not read it; make it readable.",
                systemError: number)
        default: HTTPServerError(.system, act + "\(reason(number)).", systemError: number)
        }
    }
}
