import FoundationEssentials
import GatewayCore
import SignInBridge

extension ConfigurationForm where Value == ClientKeys? {
    private static let expectation =
        "a JSON Web Key Set with 1 to \(ClientKeys.maximumCount) public keys for \(ClientKeys.algorithms)"

    /// The public keys of a client.
    static let clientKeys = ConfigurationForm(expected: expectation) { word, _ in
        ClientKeys(word).map { .some($0) }
    } show: { _ in
        "none"
    }

    /// The path of a file with the public keys of a client. The file is read together with the configuration. Only its
    /// owner may have permission to change it.
    static let clientKeysFile = ConfigurationForm(
        expected: "the path of a file that only its owner can change (chmod 644), with " + expectation
    ) { word, folder in
        guard let path = ConfigurationForm<String>.path.read(word, folder),
            let permissions = FilePermissions(path: path),
            !permissions.allow(0o022), let data = FileManager.default.contents(atPath: path)
        else { return nil }
        return ClientKeys(String(decoding: data, as: UTF8.self)).map { .some($0) }
    } show: { _ in
        "none"
    }
}

extension ConfigurationForm where Value == String? {
    /// An address to which this server sends requests, or none.
    static let noticeAddress = ConfigurationForm(
        expected:
            "an https address without a fragment, such as https://app.example/logout; http is allowed for 127.0.0.1 "
            + "and [::1]"
    ) { word, _ in
        AllowedRedirects.requestProblem(with: word) == nil ? .some(word) : nil
    } show: {
        $0 ?? "none"
    }
}
