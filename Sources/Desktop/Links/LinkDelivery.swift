import CLibrary

/// Delivers a link to the program that waits for it.
package enum LinkDelivery {
    static let taken = "taken\n"
    static let refused = "refused\n"

    /// Delivers a link and waits for the reply, at most for some seconds.
    ///
    /// - Parameters:
    ///   - link: The complete link.
    ///   - name: The name of the receiver.
    ///   - folder: The folder with the socket of the receiver.
    /// - Throws: ``DesktopError/Code/noReceiver`` when there is no such receiver or it does not belong to this user;
    ///   ``DesktopError/Code/refused`` when it waits for a different link.
    package static func deliver(_ link: String, to name: String, in folder: LinkFolder) throws(DesktopError) {
        guard let connection = LocalSocket.connect(to: name, in: folder) else { throw nobody }
        defer { close(connection) }
        LocalSocket.bound(connection, seconds: 10)
        guard LocalSocket.isOwn(connection), LocalSocket.write(Array(link.utf8), to: connection) else { throw nobody }
        shutdown(connection, Int32(SHUT_WR))
        guard LocalSocket.read(connection, limit: 64).elementsEqual(taken.utf8) else {
            throw DesktopError(.refused, "The program that waits for this sign-in rejected the link.")
        }
    }

    private static var nobody: DesktopError {
        DesktopError(.noReceiver, "No sign-in is waiting for this link; nothing was changed.")
    }
}
