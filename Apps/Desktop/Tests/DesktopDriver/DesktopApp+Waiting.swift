import CAtspi
package import Foundation

// What a person sees.
extension DesktopApp {
    /// Waits until a control with a role and a name is visible.
    package func wait(for role: Role, _ name: String) async throws {
        _ = try await find(role, name)
    }

    /// Waits until a control with a role has a name that contains a text, and returns the name.
    @discardableResult
    package func wait(for role: Role, containing text: String) async throws -> String {
        try await poll("No \(role) contains '\(text)'.") {
            self.root.first { $0.role == role.rawValue && $0.name.contains(text) }
        }.name
    }

    /// Waits until one of several controls is visible, and returns its name.
    package func wait(forOneOf controls: (role: Role, name: String)...) async throws -> String {
        try await poll("None of \(controls.map(\.name)) is visible.") {
            controls.first { self.isVisible($0.role, $0.name) }?.name
        }
    }

    /// Waits until no visible control has the role and name.
    package func waitUntilGone(_ role: Role, _ name: String) async throws {
        _ = try await poll("'\(name)' is still visible.") {
            self.isVisible(role, name) ? nil : true
        }
    }

    /// Waits until no visible control with the role has a name that contains a text.
    package func waitUntilGone(_ role: Role, containing text: String) async throws {
        try await poll("A \(role) still contains '\(text)'.") {
            self.root.first { $0.role == role.rawValue && $0.name.contains(text) } == nil ? true : nil
        }
    }

    /// Returns whether a control is visible now.
    package func isVisible(_ role: Role, _ name: String) -> Bool {
        root.first { $0.role == role.rawValue && $0.name == name } != nil
    }

    /// Waits until a field has a text.
    package func wait(forText text: String, in name: String) async throws {
        _ = try await poll("The field '\(name)' has another text.") {
            self.root.first { $0.role == Role.field.rawValue && $0.name == name && $0.content == text }
        }
    }

    /// Waits until a button can be pressed.
    package func wait(forSensitive button: String) async throws {
        _ = try await find(.button, button, isUsable: true)
    }

    /// Waits until a control has the keyboard focus. libadwaita 1.2 does not tell the focus of text rows: type with the
    /// keyboard, and wait for the text.
    package func wait(forFocus name: String) async throws {
        _ = try await poll("'\(name)' does not have the focus.") {
            self.root.first { $0.has(ATSPI_STATE_FOCUSED) && $0.name == name }
        }
    }

    /// Waits until a field is marked as the one to correct.
    package func wait(forMark field: String) async throws {
        _ = try await poll("The field '\(field)' is not marked.") {
            // GTK 4.8 sets INVALID instead of INVALID_ENTRY.
            self.root.first {
                $0.name == field && ($0.has(ATSPI_STATE_INVALID_ENTRY) || $0.has(ATSPI_STATE_INVALID))
            }
        }
    }

    /// The names of all visible controls with a role.
    package func names(of role: Role) -> [String] {
        var names: [String] = []
        _ = root.first { node in
            if node.role == role.rawValue { names.append(node.name) }
            return false
        }
        return names
    }

    /// Checks that the window has not become wider than it was made, and that no visible control is outside of it.
    package func requireFit(_ width: Int) throws {
        // A frame without a shadow is drawn outside of what it contains.
        let border = 2
        let wide = root.first { node in node.frame.map { $0.x < -border || $0.right > width + border } ?? false }
        if let wide { throw failure("\(wide.role) '\(wide.name)' does not fit into \(width) pixels: \(wide.frame!)") }
    }

    /// The visible part of the accessible tree, one control a line.
    package func tree() -> String { root.dump() }

    /// Stores a picture of the window in `.build/desktop/screenshots`, or in the folder that `SCREENSHOTS` names, and
    /// returns the bytes of the file.
    @discardableResult
    package func screenshot(_ name: String) async throws -> Data {
        let folder =
            ProcessInfo.processInfo.environment["SCREENSHOTS"] ?? Programs.root.path + "/.build/desktop/screenshots"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = "\(folder)/\(name).png"
        // Without dates, equal pictures are equal files.
        try await run("import", ["-window", windowID(), "+set", "date:create", "+set", "date:modify", "-strip", file])
        return try Data(contentsOf: URL(fileURLWithPath: file))
    }

    /// Stores a picture of the window as ``screenshot(_:)`` does, when the window has stopped to change.
    @discardableResult
    package func completeScreenshot(_ name: String) async throws -> Data {
        var before: Data?
        while true {
            let picture = try await screenshot(name)
            if picture == before { return picture }
            before = picture
        }
    }
}
