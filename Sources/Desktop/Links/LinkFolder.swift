import CLibrary

/// The folder with the sockets of programs that wait for a link. Only this user has access to it.
///
/// The folder stays open, and its sockets are addressed through the descriptor. That prevents others from replacing the
/// folder later, and its path may be longer than a socket path.
///
/// Source: `unix(7)`.
package final class LinkFolder: Sendable {
    let descriptor: Int32

    /// Opens the folder. When `isMade` is true and the folder is missing, creates it with mode 0700; its parent must
    /// exist.
    ///
    /// - Throws: ``DesktopError/Code/unsafeFolder`` when the folder is missing, is a symbolic link, belongs to another
    ///   user, or is accessible to others.
    package init(_ path: String, isMade: Bool = true) throws(DesktopError) {
        if isMade { _ = mkdir(path, 0o700) }
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw DesktopError(
                .unsafeFolder, "Could not open the folder '\(path)': \(String(cString: strerror(errno))).")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            // `deinit` closes the descriptor, as it runs for every value whose properties are all set. Closed here as well,
            // the number could already be another thread's.
            throw DesktopError(
                .unsafeFolder,
                "The folder '\(path)' is accessible to other users or owned by one; remove it, or run: "
                    + "chmod 700 '\(path)'")
        }
    }

    deinit {
        close(descriptor)
    }

    /// Returns the address of a socket in this folder.
    func address(of name: String) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array((path + "/" + name).utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.prefix($0.count - 1)) }
        return address
    }

    /// Removes a socket from the folder.
    func remove(_ name: String) {
        unlinkat(descriptor, name, 0)
    }

    /// Removes stale sockets of programs that were killed.
    func removeStaleSockets() {
        guard let folder = opendir(path) else { return }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            var status = stat()
            guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFSOCK,
                // A socket that was just created may not be listening yet.
                status.st_mtim.tv_sec < time(nil) - 2
            else { continue }
            guard let connection = LocalSocket.connect(to: name, in: self) else {
                if errno == ECONNREFUSED { remove(name) }
                continue
            }
            close(connection)
        }
    }
}
