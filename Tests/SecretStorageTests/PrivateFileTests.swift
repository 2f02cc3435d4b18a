import Foundation
import SecretStorage
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct PrivateFileTests {
    private let folder = try! TemporaryDirectory()
    private var path: String { folder.path + "/lock.json" }

    @Test("a FIFO, a device or a folder in place of a file is an error that names it, and nothing waits for it")
    func otherKinds() throws {
        #expect(mkfifo(path, 0o600) == 0)
        for other in [path, "/dev/zero", folder.path] {
            let error = #expect(throws: SecretStorageError.self) { try PrivateFile.read(other) }
            #expect(error?.message.contains("'\(other)': it is not a regular file") == true)
        }
        #expect(mkfifo(path + ".new", 0o600) == 0)
        let error = #expect(throws: SecretStorageError.self) { try PrivateFile.replace(path, with: [1]) }
        #expect(error?.message.contains("'\(path).new'") == true)
    }
}
