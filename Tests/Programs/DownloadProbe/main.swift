import HTTPClient
import HTTPMessages

// Downloads: URL PATH. Prints `done` when the file is whole, in its place and on the disk.
let words = Array(CommandLine.arguments.dropFirst())
do {
    guard words.count == 2 else { throw CancellationError() }
    let client = try HTTPClient()
    _ = try await client.download(ClientRequest(method: .get, url: words[0]), to: words[1])
    print("done")
} catch {
    print("\(error)")
}
