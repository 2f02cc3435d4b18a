import Foundation

/// A session bus of its own, so that several windows can run at the same time: a bus has one window.
///
/// It starts no services, so the windows have one accessible tree, which is that of the tests.
package final class SessionBus: Sendable {
    /// The environment of the programs that use the bus.
    package let environment: [String: String]
    private let program: ChildProgram
    private let folder: URL

    private static let configuration = """
        <busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><policy context="default">\
        <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
        """

    /// Starts a bus, and returns when it accepts connections. It ends when the object is released.
    ///
    /// - Throws: ``DriverError`` when it does not start.
    package init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "latch-bus-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "bus.conf")
        try Data(Self.configuration.utf8).write(to: file)
        let tree = try ChildProgram(
            "/usr/bin/gdbus",
            [
                "call", "--session", "--dest", "org.a11y.Bus", "--object-path", "/org/a11y/bus", "--method",
                "org.a11y.Bus.GetAddress",
            ], folder: folder)
        program = try ChildProgram(
            "/usr/bin/dbus-daemon", ["--config-file=\(file.path)", "--nofork", "--print-address"], folder: folder)
        guard let address = await program.firstLine(), let line = await tree.firstLine(), await tree.exitCode() == 0
        else { throw DriverError("The bus did not start: \(program.errors)\(tree.errors)") }
        environment = [
            "DBUS_SESSION_BUS_ADDRESS": address, "AT_SPI_BUS_ADDRESS": String(line.split(separator: "'")[1]),
        ]
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
}
