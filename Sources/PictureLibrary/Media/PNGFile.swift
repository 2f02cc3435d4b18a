/// A parser for PNG files, which reads the chunks in order.
///
/// Source: PNG (Third Edition) §5.3, §11.2.1, §11.3.3.2 for eXIf.
enum PNGFile {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    static func facts(_ file: MediaBytes) -> MediaFacts {
        var facts = MediaFacts()
        var position = signature.count
        for _ in 0..<4_096 {
            guard let head = file.bytes(position, 8), let length = head.number(0, 4), let name = head.text(4, 4) else {
                break
            }
            switch name {
            case "IHDR":
                guard let size = file.bytes(position + 8, 8) else { return facts }
                (facts.width, facts.height) = (size.number(0, 4), size.number(4, 4))
            case "eXIf":
                if let chunk = file.bytes(position + 8, length) { ExifDirectory.read(chunk.bytes, into: &facts) }
            case "IEND": return facts
            default: break
            }
            position += 12 + length
        }
        return facts
    }
}
