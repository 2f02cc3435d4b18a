import CLibFuzzer
import Dispatch
import Foundation
import Synchronization

// fuzz NAME [libFuzzer's arguments]; without a name, the names.
guard CommandLine.arguments.count > 1 else {
    print(FuzzedParser.all.map(\.name).joined(separator: "\n"))
    exit(0)
}
guard let wanted = FuzzedParser.named(CommandLine.arguments[1]) else {
    print("There is no parser '\(CommandLine.arguments[1])'; run fuzz without arguments for their names.")
    exit(64)
}
let parser = wanted

var count = CommandLine.argc - 1
// The driver keeps what it is given, so it is never freed.
let arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: Int(count) + 1)
arguments[0] = CommandLine.unsafeArgv[0]
for index in 1..<Int(count) { arguments[index] = CommandLine.unsafeArgv[index + 1] }
arguments[Int(count)] = nil
var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments

let status = LLVMFuzzerRunDriver(&count, &start) { bytes, count in
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    let done = DispatchSemaphore(value: 0)
    Task.immediate { @concurrent in
        do {
            try await parser.check(input)
        } catch {
            fatalError("\(parser.name): \(error)")
        }
        done.signal()
    }
    done.wait()
    return 0
}
exit(status)
