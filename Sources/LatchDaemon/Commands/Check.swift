/// `latchd check`.
struct Check: Work {
    let configurationPath: String?
    let isListingKeys: Bool

    func perform(_ environment: [String: String]) async throws -> ExitCode {
        .done
    }
}
