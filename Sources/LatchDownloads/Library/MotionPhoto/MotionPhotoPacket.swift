/// The XMP packet of a Motion Photo. It says that there is a video, and where.
///
/// Source: Google, "Motion Photo format specification 1.0", camera and container metadata; Adobe, "XMP Specification
/// Part 1" §7.3 and annex C.
enum MotionPhotoPacket {
    private static let camera = #"xmlns:GCamera="http://ns.google.com/photos/1.0/camera/""#
    private static let container = """
        xmlns:Container="http://ns.google.com/photos/1.0/container/" \
        xmlns:Item="http://ns.google.com/photos/1.0/container/item/"
        """
    private static let rdf = #"xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#""#
    /// Neither file tells the moment of the photograph within the video, so the timestamp is unknown.
    private static let motion = """
        GCamera:MotionPhoto="1" GCamera:MotionPhotoVersion="1" GCamera:MotionPhotoPresentationTimestampUs="-1"
        """

    /// Returns a packet for a file that has none.
    static func new(filmBytes: Int, filmType: String) -> String {
        """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \(rdf)>
        \(description("", directory(filmBytes, filmType)))</rdf:RDF></x:xmpmeta>
        <?xpacket end="w"?>
        """
    }

    /// Whether a packet says that there is a video, in the current format or the one before it.
    static func isMotionPhoto(_ packet: String) -> Bool {
        ["MotionPhoto", "MicroVideo"].contains { name in
            ["=\"1\"", "='1'", ">1<"].contains { packet.contains(":" + name + $0) }
        }
    }

    /// Returns a packet with its old content and the video. Nil when the video cannot be added without interpreting
    /// unknown content.
    static func extending(_ packet: String, filmBytes: Int, filmType: String) -> String? {
        // A comment or a CDATA section could contain the tags that are searched for as text.
        guard packet.contains("http://www.w3.org/1999/02/22-rdf-syntax-ns#"), !packet.utf8.contains("<!".utf8),
            !packet.contains("GCamera:Motion"), let end = onlyRange(of: "</rdf:RDF>", in: packet),
            let about = about(packet)
        else { return nil }
        var packet = packet
        let hasDirectory = packet.contains(":Directory")
        // From the end to the beginning, so that earlier ranges stay valid.
        packet.insert(
            contentsOf: description(about, hasDirectory ? "" : directory(filmBytes, filmType)), at: end.lowerBound)
        if hasDirectory {
            guard packet.contains("http://ns.google.com/photos/1.0/container/item/"),
                let start = onlyRange(of: "<Container:Directory>", in: packet),
                let close = onlyRange(of: "</Container:Directory>", in: packet), start.upperBound < close.lowerBound
            else { return nil }
            let inside = packet[start.upperBound..<close.lowerBound]
            guard inside.contains("\"Primary\""), !inside.contains("MotionPhoto"),
                let list = onlyRange(of: "</rdf:Seq>", in: inside)
            else { return nil }
            packet.insert(contentsOf: item("MotionPhoto", type: filmType, bytes: filmBytes), at: list.lowerBound)
        }
        return withoutPadding(packet)
    }

    private static func description(_ about: String, _ inside: String) -> String {
        let spaces = inside.isEmpty ? camera : "\(camera) \(container)"
        return """
            <rdf:Description rdf:about="\(about)" \(spaces) \(motion)>\(inside)</rdf:Description>

            """
    }

    private static func directory(_ filmBytes: Int, _ filmType: String) -> String {
        """
        <Container:Directory><rdf:Seq>\(item("Primary", type: "image/jpeg", bytes: 0))\
        \(item("MotionPhoto", type: filmType, bytes: filmBytes))</rdf:Seq></Container:Directory>
        """
    }

    private static func item(_ meaning: String, type: String, bytes: Int) -> String {
        """
        <rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="\(type)" Item:Semantic="\(meaning)" \
        Item:Length="\(bytes)" Item:Padding="0"/></rdf:li>
        """
    }

    /// Returns the `rdf:about` of a packet, which must be the same in every description.
    private static func about(_ packet: String) -> String? {
        guard let start = packet.firstRange(of: "rdf:about=")?.upperBound, start < packet.endIndex else { return "" }
        let quote = packet[start]
        let rest = packet[packet.index(after: start)...]
        guard quote == "\"" || quote == "'", let end = rest.firstIndex(of: quote) else { return nil }
        let about = rest[..<end]
        return about.utf8.contains { "\"<".utf8.contains($0) } ? nil : String(about)
    }

    /// Removes the spaces before the end of a packet, which are padding for such additions.
    private static func withoutPadding(_ packet: String) -> String {
        guard let end = packet.ranges(of: "<?xpacket end=").last else { return packet }
        var text = packet[..<end.lowerBound]
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text + "\n" + packet[end.lowerBound...]
    }

    private static func onlyRange(of word: String, in text: some StringProtocol) -> Range<String.Index>? {
        let ranges = text.ranges(of: word)
        return ranges.count == 1 ? ranges[0] : nil
    }
}
