import FoundationEssentials
import PictureLibrary

/// The JSON text of the response to `POST /download/info`, which is created in parts. It holds only the text that has
/// not been taken yet.
struct ImmichPlanText {
    private let limit: Int
    private var text: [UInt8] = Array(#"{"archives":["#.utf8)
    private var total = 0
    /// The size of the open archive in bytes; nil when no archive is open.
    private var size: Int?
    private var count = 0
    private var isFirst = true

    /// Begins a plan. An archive ends as soon as it is larger than `limit` bytes, or has
    /// ``AssetLibrary/maximumArchiveFiles``.
    init(limit: Int) {
        self.limit = limit
    }

    /// Adds a file to the open archive, and opens one if there is none.
    mutating func add(_ part: AssetPart) {
        if size == nil { text += (isFirst ? #"{"assetIds":["# : #",{"assetIds":["#).utf8 } else { text.append(0x2C) }
        isFirst = false
        text.append(0x22)
        text += ImmichAssetResponses.text(part.id).utf8
        text.append(0x22)
        let newSize = (size ?? 0) + part.size
        size = newSize
        total += part.size
        count += 1
        if newSize > limit || count == AssetLibrary.maximumArchiveFiles { close() }
    }

    /// Removes and returns the text that has not been taken yet.
    mutating func drain() -> [UInt8] {
        defer { text = [] }
        return text
    }

    /// Ends the plan and returns the rest of the text.
    mutating func end() -> [UInt8] {
        close()
        text += #"],"totalSize":\#(total)}"#.utf8
        return drain()
    }

    private mutating func close() {
        guard let size else { return }
        text += #"],"size":\#(size)}"#.utf8
        self.size = nil
        count = 0
    }
}
