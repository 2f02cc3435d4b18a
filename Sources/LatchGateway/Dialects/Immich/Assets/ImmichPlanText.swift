import FoundationEssentials

/// The text of a ``ImmichDownloadPlan`` as it grows, of which no more is held than was not taken yet.
struct ImmichPlanText {
    private let limit: Int
    private var text: [UInt8] = Array(#"{"archives":["#.utf8)
    private var total = 0
    /// The bytes of the archive that is open; nil when none is.
    private var size: Int?
    private var isFirst = true

    /// Begins a plan whose archives are closed once they are larger than `limit`.
    init(limit: Int) {
        self.limit = limit
    }

    /// Adds a file to the archive that is open.
    mutating func add(_ part: AssetPart) {
        if size == nil { text += (isFirst ? #"{"assetIds":["# : #",{"assetIds":["#).utf8 } else { text.append(0x2C) }
        isFirst = false
        text.append(0x22)
        text += ImmichAssetAnswers.text(part.id).utf8
        text.append(0x22)
        let grown = (size ?? 0) + part.size
        size = grown
        total += part.size
        if grown > limit { close() }
    }

    /// What was not taken yet.
    mutating func take() -> [UInt8] {
        defer { text = [] }
        return text
    }

    /// The rest, to the end of the plan.
    mutating func end() -> [UInt8] {
        close()
        text += #"],"totalSize":\#(total)}"#.utf8
        return take()
    }

    private mutating func close() {
        guard let size else { return }
        text += #"],"size":\#(size)}"#.utf8
        self.size = nil
    }
}
