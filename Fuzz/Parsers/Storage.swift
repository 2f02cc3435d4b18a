@testable import Crypto
@testable import SecretStorage

extension FuzzedParser {
    private static let key = Secret(bytes: [UInt8](repeating: 7, count: Sealing.keyCount))

    static let storage = [
        // The first byte says what the rest is: a whole file, a head whose digest is made to fit, a table of secrets,
        // or the contents of a file that is sealed as ours are.
        FuzzedParser("sealed-file") { input in
            guard let kind = input.first else { return }
            let rest = Array(input.dropFirst())
            switch kind & 3 {
            case 0: try check(rest)
            case 1:
                let count = SealedFileFormat.headCount - SHA256Digest.count
                guard rest.count >= count else { return }
                let head = Array(rest.prefix(count))
                try check(head + SHA256.digest(head).bytes + rest.dropFirst(count))
            case 2:
                guard let table = SecretTable.read(rest) else { return }
                let again = SecretTable.read(SecretTable.write(table))
                try require(again == table, "Secrets are others after writing and reading.")
            default:
                let header = SealedFileFormat.Header(
                    kind: .keyFile, parameters: .default, salt: [UInt8](repeating: 1, count: 16))
                let secret = [SecretKey(service: "s", account: "a"): Secret(bytes: rest)]
                let file = try SealedFileFormat.make(secret, header: header, key: key)
                try require(SealedFileFormat(file)?.secrets(key) == secret, "A sealed file does not open again.")
                var changed = file
                changed[Int(rest.first ?? 0) * changed.count / 256] ^= 1
                try require(SealedFileFormat(changed)?.secrets(key) == nil, "A file with a changed bit opens.")
            }
        }
    ]

    private static func check(_ file: [UInt8]) throws(BrokenProperty) {
        guard let format = SealedFileFormat(file) else { return }
        let parameters = format.header.parameters
        try require(
            parameters.memoryKiB <= 1 << 20 && parameters.iterations <= 100, "A file may ask for too much memory.")
        try require(!format.accepts(key) || format.secrets(key) != nil || !format.body.isEmpty, "A file has no body.")
    }
}
