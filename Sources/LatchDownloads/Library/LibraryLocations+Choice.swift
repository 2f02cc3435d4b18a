import Database
import LatchKit

/// The place that a person chooses in the settings, for all further files.
extension LibraryLocations {
    /// Returns the place that a person chose for the active account or for all, or else that of the last downloads.
    ///
    /// - Parameter environment: The environment variables that locate the pictures folder.
    /// - Returns: The place.
    /// - Throws: `LatchError.Code.fileFailed` when there is no pictures folder; a `LatchError` with a `storage` code.
    package func chosen(environment: [String: String]) async throws -> LibraryLocation {
        guard let account = try await accounts.accounts().first(where: \.isActive),
            let folder = try await folder(of: account)
        else { return try await current(environment: environment) }
        return try await location(in: folder)
    }

    /// Stores a place for all further files, in one transaction.
    ///
    /// A new folder replaces those of all accounts and of the followed libraries. A new arrangement of the same folder
    /// applies to the followed libraries that are saved there.
    ///
    /// - Parameters:
    ///   - place: The place.
    ///   - previous: The place that it replaces.
    /// - Throws: `LatchError.Code.invalidRequest` when files wait for another folder; a `LatchError` with a `storage`
    ///   code.
    package func choose(_ place: LibraryLocation, insteadOf previous: LibraryLocation) async throws {
        try await LatchError.converting {
            try await database.change { connection in
                try Self.remember(place, connection)
                guard place.folder != previous.folder else {
                    return try FollowedLibraries.move(to: place, in: connection) { $0.folder == place.folder }
                }
                _ = try connection.run(Self.deleteFolders)
                // The empty address stands for every account.
                _ = try connection.run(Self.upsertFolder, "", "", place.folder)
                try FollowedLibraries.move(to: place, in: connection) { _ in true }
            }
        }
    }

    private static let deleteFolders = Statement("DELETE FROM download_folders")
}
