import Desktop
import FoundationEssentials

/// Registers a program with the desktop as the handler of the custom schemes with which servers send the browser back.
///
/// The registration is a desktop entry that menus do not show, and the person's default application for each scheme.
package struct SchemeRegistration: Sendable {
    /// The file name of the desktop entry.
    package static let entry = "latchstring-callback.desktop"

    /// The changes made by a registration.
    package struct Report: Sendable, Equatable {
        /// The absolute path of the desktop entry.
        package var path: String
        /// The schemes that are now registered for the program.
        package var schemes: [String]
        /// The desktop entries of other programs that were registered before, by scheme.
        package var replaced: [String: String]
    }

    private let handler: SchemeHandler

    /// Makes a registration for the folders that environment variables specify.
    ///
    /// - Throws: ``LatchError/Code/storageFailed`` when the variables do not locate the person's folders.
    package init(environment: [String: String] = ProcessInfo.processInfo.environment) throws(LatchError) {
        handler = SchemeHandler(
            Self.entry, data: try Folders.base(.data, environment),
            configuration: try Folders.base(.configuration, environment))
    }

    /// Whether the desktop entry exists.
    package var hasEntry: Bool { handler.exists }

    /// Writes the desktop entry and registers it for every scheme.
    ///
    /// - Parameter program: The absolute path of the program. It is called with the arguments `callback` and the link.
    /// - Returns: The changes.
    /// - Throws: ``LatchError/Code/registrationFailed``.
    package func register(program: String) async throws(LatchError) -> Report {
        let schemes = BrowserSignIn.callbackSchemes
        var replaced: [String: String] = [:]
        for scheme in schemes {
            if let other = await SchemeHandler.entry(for: scheme), other != Self.entry, !other.isEmpty {
                replaced[scheme] = other
            }
        }
        do {
            try await handler.register(
                [program, "callback"], for: schemes, title: "Latchstring sign-in",
                comment: "Brings a sign-in in the browser back to latch")
        } catch {
            throw LatchError(.registrationFailed, error.message, cause: error)
        }
        return Report(path: handler.path, schemes: schemes, replaced: replaced)
    }

    /// Removes the desktop entry and its registration.
    ///
    /// - Returns: Whether there was a desktop entry.
    /// - Throws: ``LatchError/Code/registrationFailed``.
    package func remove() async throws(LatchError) -> Bool {
        do {
            return try await handler.remove()
        } catch {
            throw LatchError(.registrationFailed, error.message, cause: error)
        }
    }
}

extension Server {
    /// Returns the custom scheme with which this server sends the browser back, if no program is registered for it.
    ///
    /// - Parameter environment: Additional environment variables for the query of the desktop.
    /// - Returns: The scheme, such as `app.immich`. Nil when a program is registered for it, this server uses none, or
    ///   the desktop cannot be queried.
    package func unhandledScheme(environment: [String: String]) async -> String? {
        guard let callback = (dialect as? any BrowserDialect)?.callback else { return nil }
        let scheme = String(callback.prefix { $0 != ":" })
        return await SchemeHandler.entry(for: scheme, environment: environment) == "" ? scheme : nil
    }
}
