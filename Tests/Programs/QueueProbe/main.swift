import CLibrary
import Crypto
import FoundationEssentials
import LatchDownloads
import LatchKit

// Downloads: FOLDER COMMAND. In FOLDER are the accounts, and in its `Pictures` what is downloaded.
//   sign-in URL         signs Ada in to the server
//   add LIST            adds what LIST names, a line each: id, path, file name, group, id of the live photo or -
//   fill N              adds N tasks
//   cancel [ID…]        takes these out of the queue, or everything
//   run                 says `running`, fetches until nothing is left, and says how many are done and open
//   start               says how long the queue needs from its start to its first request
let words = Array(CommandLine.arguments.dropFirst())
guard words.count >= 2 else { exit(64) }
let began = ContinuousClock.now
let latch = try await LatchClient.open(
    .init(folders: Folders(data: words[0] + "/data"), secrets: PlainStore(folder: words[0] + "/secrets")))
let queue = DownloadQueue(latch, library: FolderLibrary(folder: words[0] + "/Pictures"))

/// `stdout` itself is no value of Swift's concurrency.
func flush() { fflush(nil) }

func account() async throws -> Account.ID {
    guard let account = try await latch.accounts.accounts().first else { exit(65) }
    return account.id
}

switch words[1] {
case "sign-in":
    let server = try await latch.probe(ServerAddress(words[2])).requireServer()
    _ = try await latch.signIn(PasswordSignIn(email: "ada@example.org", password: Secret("correct horse")), to: server)
case "add":
    let account = try await account()
    let tasks = try String(contentsOfFile: words[2], encoding: .utf8).split(separator: "\n").map { line in
        let fields = line.split(separator: "\t").map(String.init)
        let live = fields[4] == "-" ? nil : fields[4]
        let part: DownloadMetadata.LivePart? = live.map { $0 == fields[0] ? .image : .video }
        return DownloadTask(
            id: fields[0], account: account, url: fields[1], filename: fields[2],
            group: DownloadGroup(rawValue: fields[3]), metadata: .init(part: part, liveID: live))
    }
    print("added \(try await queue.add(tasks))")
case "fill":
    let (account, count) = (try await account(), Int(words[2]) ?? 0)
    let tasks = TaskNumbers(account: account, count: count)
    print("added \(try await queue.add(tasks))")
case "cancel":
    let ids = Array(words.dropFirst(2))
    print("cancelled \(try await ids.isEmpty ? queue.cancelAll() : queue.cancel(ids))")
case "run":
    print("running")
    flush()
    let events = queue.events
    let listener = Task {
        for await event in events {
            guard case .pauseReasonChanged(let reason) = event else { continue }
            print(reason.map { "held: \($0.sentence)" } ?? "goes on")
            flush()
        }
    }
    try await queue.run()
    listener.cancel()
    let progress = try await queue.progress()
    print("done \(progress.done) failed \(progress.failed) skipped \(progress.skipped) open \(progress.open)")
    if progress.failed + progress.skipped > 0 {
        for task in try await queue.tasks() where task.state != .done {
            print("\(task.task.filename): \(task.state) (\(task.attempts) tries)")
        }
    }
case "start":
    let events = queue.events
    let run = Task { try await queue.run() }
    for await event in events { if case .status(_, .running) = event { break } }
    print("started after \(ContinuousClock.now - began)")
    flush()
    if words.count > 2 { try await Task.sleep(for: .seconds(Int(words[2]) ?? 0)) }
    run.cancel()
    _ = await run.result
    print("done \(try await queue.progress().done)")
default: exit(64)
}
let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
for line in status.split(separator: "\n") where line.hasPrefix("VmHWM") || line.hasPrefix("VmRSS") { print(line) }
