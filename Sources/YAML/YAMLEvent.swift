/// One step of a parse, without anything of libyaml's.
struct YAMLEvent {
    enum Kind: Equatable {
        case documentStart(hasDirective: Bool)
        case scalar(String, isPlain: Bool)
        case sequenceStart
        case sequenceEnd
        case mappingStart
        case mappingEnd
        case alias(String)
        case streamEnd
        /// The start of the stream and the end of a document, which mean nothing here.
        case other
    }

    var kind: Kind
    var mark: YAMLMark
    var anchor: String?
    var tag: String?
}
