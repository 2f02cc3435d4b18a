import CYAML

/// A libyaml parser and the input bytes that it reads. Only this file uses the library.
///
/// `yaml_parser_load` is not used: its tree does not show where an alias is, whether a key is one, or whether a tag was
/// written, and it accepts a node that contains itself. It also loads everything before a limit can apply, in time that
/// grows with the square of the depth.
///
/// Source: `yaml_parser_parse`, `yaml_parser_delete`, `yaml_event_delete` in `yaml.h`.
struct YAMLEvents: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeMutableBufferPointer<UInt8>

    init(_ bytes: [UInt8]) throws(YAMLError) {
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        guard yaml_parser_initialize(parser) == 1 else {
            parser.deallocate()
            throw YAMLError(.tooLarge, at: .start, "there is not enough memory")
        }
        self.parser = parser
        input = .allocate(capacity: bytes.count)
        _ = input.initialize(from: bytes)
        // The encoding is set because libyaml would otherwise switch to UTF-16 when it finds a byte order mark.
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, input.baseAddress, input.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        input.deallocate()
    }

    /// Returns the next event. After the last event it returns `streamEnd` on every call.
    mutating func next() throws(YAMLError) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw error() }
        defer { yaml_event_delete(&event) }
        return Self.event(event)
    }

    private static func event(_ event: yaml_event_t) -> YAMLEvent {
        var made = YAMLEvent(kind: .other, mark: mark(event.start_mark))
        switch event.type {
        case YAML_DOCUMENT_START_EVENT:
            let start = event.data.document_start
            let hasDirective = start.version_directive != nil || start.tag_directives.start != start.tag_directives.end
            made.kind = .documentStart(hasDirective: hasDirective)
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            made.kind = .scalar(
                String(decoding: bytes, as: UTF8.self), isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
            (made.anchor, made.tag) = (text(scalar.anchor), text(scalar.tag))
        case YAML_SEQUENCE_START_EVENT:
            made.kind = .sequenceStart
            (made.anchor, made.tag) = (text(event.data.sequence_start.anchor), text(event.data.sequence_start.tag))
        case YAML_MAPPING_START_EVENT:
            made.kind = .mappingStart
            (made.anchor, made.tag) = (text(event.data.mapping_start.anchor), text(event.data.mapping_start.tag))
        case YAML_SEQUENCE_END_EVENT: made.kind = .sequenceEnd
        case YAML_MAPPING_END_EVENT: made.kind = .mappingEnd
        case YAML_ALIAS_EVENT: made.kind = .alias(text(event.data.alias.anchor) ?? "")
        case YAML_STREAM_END_EVENT, YAML_NO_EVENT: made.kind = .streamEnd
        default: break
        }
        return made
    }

    /// Converts libyaml's last error. Libyaml reports the problem and, in most cases, its context, both as short
    /// English phrases.
    private func error() -> YAMLError {
        let failed = parser.pointee
        let problem = failed.problem.map { String(cString: $0) } ?? "it cannot be read"
        switch failed.error {
        case YAML_READER_ERROR:
            return YAMLError(.encoding, at: mark(ofByte: failed.problem_offset), "\(problem); save it as UTF-8 text")
        case YAML_MEMORY_ERROR:
            return YAMLError(.tooLarge, at: Self.mark(failed.mark), "there is not enough memory")
        default:
            let context = failed.context.map { " \(String(cString: $0))" } ?? ""
            return YAMLError(.syntax, at: Self.mark(failed.problem_mark), problem + context)
        }
    }

    /// Computes a position from a byte offset, because libyaml's own mark lags behind its reader.
    private func mark(ofByte offset: Int) -> YAMLMark {
        let before = input.prefix(offset)
        let line = before.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).last ?? before
        let column = line.count { $0 & 0xC0 != 0x80 }
        return YAMLMark(line: before.count { $0 == UInt8(ascii: "\n") } + 1, column: column + 1)
    }

    private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        pointer.map { String(cString: $0) }
    }

    private static func mark(_ mark: yaml_mark_t) -> YAMLMark {
        YAMLMark(line: Int(clamping: mark.line) + 1, column: Int(clamping: mark.column) + 1)
    }
}
