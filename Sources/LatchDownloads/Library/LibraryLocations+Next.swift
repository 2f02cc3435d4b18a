public import FoundationEssentials
public import LatchKit

/// Where the next files are saved to, and why.
public struct NextLocation: Sendable, Hashable {
    /// Why files are saved to a place.
    public enum Reason: Sendable {
        /// Other files wait to be saved there, and all waiting files wait for one place.
        case awaited
        /// The person has named it.
        case chosen
        /// The last files of the account were saved there.
        case last
        /// It is the default: `Immich` in the person's pictures folder.
        case standard
    }

    /// The place.
    public var location: LibraryLocation
    /// Why it is this one.
    public let reason: Reason
}

extension LibraryLocations {
    /// Returns where the next files are saved to.
    ///
    /// - Parameters:
    ///   - folder: The full path of the folder that the person has named. Nil for none.
    ///   - account: The account whose files are selected. Nil when it is not known.
    ///   - isChoosing: Whether files are selected. Otherwise the last place is used. Default: true.
    ///   - environment: The environment variables that locate the pictures folder.
    /// - Returns: The place, and why it is this one.
    /// - Throws: `LatchError.Code.invalidRequest` when files wait for another folder than the named one;
    ///   `LatchError.Code.fileFailed` when there is no pictures folder; a `LatchError` with a `storage` code.
    public func next(
        folder: String? = nil, for account: Account? = nil, isChoosing: Bool = true,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws -> NextLocation {
        if let place = try await last() {
            if let folder { try await check(folder) }
            let isAwaited = try await isAwaited()
            if isAwaited || !isChoosing && folder == nil { return NextLocation(location: place, reason: .awaited) }
        }
        if let folder { return NextLocation(location: try await location(in: folder), reason: .chosen) }
        if let account, let folder = try await self.folder(of: account) {
            return NextLocation(location: try await location(in: folder), reason: .last)
        }
        return NextLocation(location: try await location(in: Self.standardFolder(environment)), reason: .standard)
    }

    /// Returns the known place of a folder, or a new one.
    func location(in folder: String) async throws -> LibraryLocation {
        try await place(folder) ?? LibraryLocation(folder: folder)
    }
}
