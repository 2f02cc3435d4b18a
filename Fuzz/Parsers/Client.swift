import Crypto
import Foundation
import SecretStorage

@testable import HTTPClient
@testable import HTTPMessages
@testable import LatchKit

extension FuzzedParser {
    static let client = [
        FuzzedParser("client-log") { input in
            for entry in ClientLog.read(input) {
                let line = JSON.encode(entry)
                try require(!line.contains(10), "A line of the log holds a line feed.")
                try require(
                    ClientLog.read(line).first?.outcome == entry.outcome,
                    "A line is not the same when it is read again.")
                try require(LogEntry.word(entry.outcome).utf8.count <= 40, "A reason is longer than a log takes.")
            }
        },
        FuzzedParser("lock-record") { input in
            guard var record = LockRecord(input) else { return }
            try require(LockRecord(JSON.encode(record)) == record, "The record of a lock changed when it was written.")
            if record.methods.contains(.pin) {
                let parameters = try Argon2idParameters(memoryKiB: record.memoryKiB, iterations: record.iterations)
                try require(parameters.isWithinLimits, "A lock may ask for too much memory.")
            }
            let before = record.tries.left
            _ = record.tries.begin(at: BootTime(boot: "fuzz", uptime: .seconds(3600)))
            try require(record.tries.left <= before && before <= 10, "A try is not counted.")
        },
        // The key of the lock in the kernel's keyring.
        FuzzedParser("unlocked-key") { input in
            guard let key = UnlockedKey(Secret(bytes: input)) else { return }
            try require(key.stored.withBytes { $0 } == input, "The key of the lock changed when it was written.")
            try require(key.key.withBytes(\.count) == SealedBox.keyCount, "The key of the lock has another length.")
        },
        // The addresses of an account, as stored.
        FuzzedParser("endpoint-settings") { input in
            let settings: EndpointSettings
            do throws(LatchError) {
                settings = try AccountStore.endpoints(input.text)
            } catch {
                return try require(error.code == .storageDamaged, "\(error)")
            }
            let again = try AccountStore.endpoints(JSON.encode(settings).text)
            let isSame =
                (settings.local?.id, settings.person) == (again.local?.id, again.person)
                && settings.all.map(\.address) == again.all.map(\.address) && settings.wifiNames == again.wifiNames
                && settings.all.map(\.id) == again.all.map(\.id)
            try require(isSame, "Addresses changed when they were written again.")
            let isLocal = settings.wifiNames.first.map { !settings.candidates(on: $0).isEmpty } ?? true
            try require(isLocal || settings.local == nil, "The local address is no candidate on its network.")
            try require(settings.candidates(on: nil).count == settings.external.count, "An unknown network is named.")
            for endpoint in settings.all {
                try require(
                    (try? ServerAddress(endpoint.address.url)) == endpoint.address,
                    "An address changed when it was read again.")
                var changed = settings
                try require(changed.prefer(endpoint.address), "An address cannot be preferred.")
                try require(changed.all.count == settings.all.count, "An address was lost when one was preferred.")
                try require(changed.remove(endpoint.address) != nil, "An address cannot be removed.")
                do throws(LatchError) {
                    _ = try ConnectionOptions(endpoint.connection, SecretConnection())
                } catch {
                    try require(error.code == .storageDamaged, "\(error)")
                }
            }
        },
        FuzzedParser("sealed-secret") { input in
            let (key, name) = (Secret(bytes: [UInt8](repeating: 1, count: 32)), SecretKey(service: "s", account: "a"))
            if let sealed = SealedSecret(Secret(bytes: input)) {
                try require((try? sealed.open(with: key, named: name)) == nil, "A secret that nobody sealed opens.")
            }
            let secret = Secret(bytes: input)
            let stored = try SealedSecret.seal(secret, named: name, for: SealedBox.publicKey(of: key), id: "one")
            let again = SealedSecret(stored)
            try require(again?.keyID == "one", "A sealed secret is not recognized.")
            try require(try again?.open(with: key, named: name) == secret, "A sealed secret does not open again.")
        },
        FuzzedParser("cache-control") { input in
            let now = Date(timeIntervalSince1970: 1_800_000_000)
            let lines = input.lines(5).map(\.text)
            var headers: HTTPHeaders = ["Cache-Control": lines[0]]
            if lines.count > 1 { headers["Vary"] = lines[1] }
            if lines.count > 2 { headers["Age"] = lines[2] }
            if lines.count > 3 { headers["Expires"] = lines[3] }
            if lines.count > 4 { headers["Date"] = lines[4] }
            let response = ClientResponse(status: .ok, headers: headers)
            guard let stored = CacheRules.stored(response, to: [:], now: now) else { return }
            let lifetime = stored.freshUntil.timeIntervalSince(now)
            try require((0...31_536_000).contains(lifetime), "An answer holds \(lifetime) seconds.")
            try require(!stored.varies.contains("*"), "An answer that depends on everything was kept.")
        },
    ]
}
