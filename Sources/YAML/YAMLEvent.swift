/// A parser event, independent of libyaml's types.
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
        /// The start of the stream or the end of a document. The tree builder ignores both.
        case other
    }

    var kind: Kind
    var mark: YAMLMark
    var anchor: String?
    var tag: String?
}
