import Crypto
import FoundationEssentials
import GatewayCore
import Primitives

extension ConfigurationForm where Value == Secret? {
    /// A secret. Every value is accepted, because an error message would reveal it.
    static let secret = ConfigurationForm(expected: "a secret") { word, _ in
        .some(Secret(word))
    } show: { _ in
        "none"
    }

    /// The path of a file that contains only a secret. A line break at its end is ignored. The file is read together
    /// with the configuration. Only its owner and group may have permission to read it, and only its owner to change
    /// it.
    static let secretFile = ConfigurationForm(
        expected: "the path of a regular file of 1 to 4,096 bytes that the user who runs latchd can read and others "
            + "cannot (chmod 600)"
    ) { word, folder in
        ConfigurationForm<String>.path.read(word, folder).flatMap(contents).map { .some($0) }
    } show: { _ in
        "none"
    } fault: { word, folder in
        guard let path = ConfigurationForm<String>.path.read(word, folder) else { return nil }
        let target = URL(filePath: path).resolvingSymlinksInPath().path
        guard let permissions = FilePermissions(path: target) else {
            return (
                "the file does not exist, or its folder cannot be read", "create it with the secret, then chmod 600"
            )
        }
        guard permissions.allow(0o027) else { return nil }
        return ("other users can read or change the file", "run: chmod 600 '\(path.printable)'")
    }

    private static func contents(of path: String) -> Secret? {
        // The target of a link is checked, because secrets in Kubernetes are links. Reading a pipe or a device might
        // never end.
        let target = URL(filePath: path).resolvingSymlinksInPath().path
        let attributes = try? FileManager.default.attributesOfItem(atPath: target)
        guard attributes?[.type] as? FileAttributeType == .typeRegular,
            let permissions = FilePermissions(path: target), !permissions.allow(0o027),
            let data = FileManager.default.contents(atPath: target), data.count <= 4_096
        else { return nil }
        var bytes = [UInt8](data)
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return bytes.isEmpty ? nil : Secret(bytes: bytes)
    }
}
