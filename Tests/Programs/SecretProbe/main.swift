import Crypto
import Foundation
import SecretStorage

// Uses a store as a program of its own, and prints the answer or the error's code and message:
// read | write VALUE | remove      the Secret Service of the bus it runs under
// open CHOICE FOLDER [REMEMBERED]  which store is chosen, and why
// fill FOLDER NUMBER COUNT         COUNT secrets of program NUMBER into the sealed file in FOLDER
// hold FOLDER                      keeps what it reads in the sealed file in FOLDER, reads it back, and waits
let words = Array(CommandLine.arguments.dropFirst())
let store = SecretServiceStore(limit: .seconds(3))
let key = SecretKey(service: "https://photos.example", account: "ada@example.org")
do {
    switch (words.first, words.count) {
    case ("read", 1): print(try await store.read(key).map { "holds \($0.reveal())" } ?? "holds nothing")
    case ("write", 2):
        try await store.write(Secret(words[1]), for: key)
        print("written")
    case ("remove", 1):
        try await store.remove(key)
        print("removed")
    case ("open", 3...4):
        let opened = try await openSecretStorage(
            choice: SecretStorageChoice(rawValue: words[1]) ?? .automatic, folder: words[2],
            remembered: words.count == 4 ? SecretStorageKind(rawValue: words[3]) : nil, service: store)
        try await opened.store.write(Secret("one"), for: key)
        print("\(opened.kind): \(opened.explanation)")
    case ("fill", 4):
        let path = words[1] + "/secrets"
        let file = SealedFileStore(path: path + ".sealed", unlock: .keyFile(path: path + ".key"))
        for number in 0..<(Int(words[3]) ?? 0) {
            try await file.write(
                Secret("\(words[2])/\(number)"), for: SecretKey(service: "fill", account: "\(words[2])/\(number)"))
        }
        print("filled")
    case ("hold", 2):
        try await hold(words[1] + "/secrets")
        FileHandle.standardOutput.write(Data("held\n".utf8))
        _ = readLine()
    default:
        print("read | write VALUE | remove | open CHOICE FOLDER [REMEMBERED] | fill FOLDER NUMBER COUNT | hold FOLDER")
    }
} catch let error as SecretStorageError {
    print("\(error.code): \(error.message)")
}

/// Keeps 32 bytes of standard input in a sealed file beside another secret, reads them back, and lets go of all of it.
func hold(_ path: String) async throws {
    var bytes = [UInt8](repeating: 0, count: 32)
    guard read(0, &bytes, bytes.count) == bytes.count else { return }
    let key = SecretKey(service: "hold", account: "one")
    let file = SealedFileStore(path: path + ".sealed", unlock: .keyFile(path: path + ".key"))
    try await file.write(Secret(bytes: bytes), for: key)
    wipe(&bytes)
    for number in 0..<20 {
        try await file.write(Secret("another \(number)"), for: SecretKey(service: "hold", account: "\(number)"))
    }
    guard try await file.read(key)?.count == 32 else { return }
    // The thread of the store may still hold what it has just answered. It answers the next call only after it let go of that.
    _ = try await file.read(SecretKey(service: "hold", account: "nobody"))
}
