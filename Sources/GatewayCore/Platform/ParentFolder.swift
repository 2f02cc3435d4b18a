import CLibrary

/// The folder that contains a file.
package enum ParentFolder {
    /// Returns the path of the folder of a path.
    package static func path(of file: String) -> String {
        guard let slash = file.lastIndex(of: "/") else { return "." }
        return slash == file.startIndex ? "/" : String(file[..<slash])
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
