import Crypto
import SecretStorage

// Asks the Secret Service of the bus it runs under: read | write VALUE | remove; prints the answer or the error's code.
let store = SecretServiceStore(limit: .seconds(5))
let key = SecretKey(service: "https://photos.example", account: "ada@example.org")
do throws(SecretStorageError) {
    switch CommandLine.arguments.dropFirst().first {
    case "read": print(try await store.read(key).map { "holds \($0.reveal())" } ?? "holds nothing")
    case "write":
        try await store.write(Secret(CommandLine.arguments.last ?? ""), for: key)
        print("written")
    case "remove":
        try await store.remove(key)
        print("removed")
    default: print("read | write VALUE | remove")
    }
} catch {
    print("\(error.code): \(error.message)")
}
