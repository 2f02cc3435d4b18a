import Crypto
import FoundationEssentials

extension ConfigurationForm where Value == Secret? {
    /// A secret itself. Whatever it is, it is read: a message about it would show it.
    static let secret = ConfigurationForm(expected: "a secret") { word, _ in
        .some(Secret(word))
    } show: { _ in
        "none"
    }

    /// The path of a file that holds a secret and nothing else; a line end behind it is none of it. It is read with the
    /// configuration. Nobody but its owner and its group may be able to read it, nor anybody but its owner to change it.
    static let secretFile = ConfigurationForm(
        expected: "the path of a regular file of 1 to 4,096 bytes that the user who runs latchd can read and others "
            + "cannot (chmod 600)"
    ) { word, folder in
        ConfigurationForm<String>.path.read(word, folder).flatMap(contents).map { .some($0) }
    } show: { _ in
        "none"
    }

    private static func contents(of path: String) -> Secret? {
        // What is linked to counts, as for Kubernetes' secrets; a pipe or a device might never end.
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
