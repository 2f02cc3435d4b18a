import Foundation

@testable import Database
@testable import LatchKit

extension FuzzedParser {
    static let accountRows = FuzzedParser("account-rows") { input in
        let row = FuzzedRow(input)
        if let account = try await row.read(AccountSchema.account) {
            try require(!account.serverURL.host.isEmpty, "An account without a server was read.")
            _ = try JSONEncoder().encode(account)
        }
        guard let record = try await row.read(AccountStore.selectRecord.row) else { return }
        do {
            let options = try ConnectionOptions(record.connectionRecord, SecretConnection())
            let isPinned = try record.connectionRecord.pinnedCertificate != nil
            try require(isPinned == (options.pinnedCertificate != nil), "A pin was lost.")
        } catch let error as LatchError {
            try require(error.code == .storageDamaged, "\(error)")
        }
        _ = record.failure?.error
    }
}
