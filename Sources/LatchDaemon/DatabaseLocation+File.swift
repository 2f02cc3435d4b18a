import FoundationEssentials
import GatewayCore
import Primitives

extension DatabaseLocation {
    /// Throws when the location is the path of a folder.
    func refuseFolder() throws(Failure) {
        var isFolder = false
        guard let path, FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder else { return }
        throw Failure(
            .input,
            "Could not use the database '\(path.printable)': it is a folder; name a file in it, such as "
                + "'\(path.printable)/latchd.db'.")
    }

    /// Throws when the location is a path without a file, because the path may be wrong. The message begins with `act`, a
    /// verb and its object.
    func requireFile(to act: String) throws(Failure) {
        guard isMissingFile else { return }
        throw Failure(
            .notFound,
            "Could not \(act): there is no file '\(description.printable)'; correct 'database' in the configuration, or "
                + "create the file with 'latchd serve' or 'latchd user add'.")
    }
}
