/// Builds a tree from parser events and enforces the limits.
struct YAMLTreeBuilder: ~Copyable {
    /// The content of a finished node that aliases can refer to.
    private struct Anchored {
        let content: YAMLNode.Content
        let nodes: Int
        let depth: Int
    }

    private var events: YAMLEvents
    private var anchors: [String: Anchored] = [:]
    private var nodes = 0
    /// The depth of the tree below the last finished node: 0 for a scalar.
    private var height = 0

    init(events: consuming YAMLEvents) {
        self.events = events
    }

    /// Parses the only document of the stream.
    mutating func document() throws(YAMLError) -> YAMLNode {
        var root: YAMLNode?
        while true {
            let event = try events.next()
            switch event.kind {
            case .streamEnd: return root ?? YAMLNode(.scalar("", isPlain: true), at: .start)
            case .documentStart(let hasDirective):
                if root != nil { throw YAMLError(.unsupported, at: event.mark, "a file may contain only one document") }
                if hasDirective { throw YAMLError(.unsupported, at: event.mark, "directives ('%') are not supported") }
                root = try node(try events.next(), depth: 0)
            default: break
            }
        }
    }

    private mutating func node(_ event: YAMLEvent, depth: Int) throws(YAMLError) -> YAMLNode {
        if case .alias(let name) = event.kind { return try alias(name, at: event.mark, depth: depth) }
        if let tag = event.tag {
            throw YAMLError(.unsupported, at: event.mark, "tags are not supported; remove '\(tag)'")
        }
        let before = nodes
        try count(1, at: event.mark)
        let content = try content(event, depth: depth)
        if let anchor = event.anchor {
            anchors[anchor] = Anchored(content: content, nodes: nodes - before, depth: height)
        }
        return YAMLNode(content, at: event.mark)
    }

    private mutating func content(_ event: YAMLEvent, depth: Int) throws(YAMLError) -> YAMLNode.Content {
        switch event.kind {
        case .scalar(let text, let isPlain):
            height = 0
            return .scalar(text, isPlain: isPlain)
        case .sequenceStart:
            try check(depth: depth + 1, at: event.mark)
            return .sequence(try items(depth: depth + 1))
        case .mappingStart:
            try check(depth: depth + 1, at: event.mark)
            return .mapping(try entries(depth: depth + 1))
        default:
            throw YAMLError(.syntax, at: event.mark, "a value was expected here")
        }
    }

    private mutating func items(depth: Int) throws(YAMLError) -> [YAMLNode] {
        var items: [YAMLNode] = []
        var highest = 0
        while true {
            let event = try events.next()
            if event.kind == .sequenceEnd { break }
            items.append(try node(event, depth: depth))
            highest = max(highest, height)
        }
        height = highest + 1
        return items
    }

    private mutating func entries(depth: Int) throws(YAMLError) -> [YAMLEntry] {
        var entries: [YAMLEntry] = []
        var lines: [String: Int] = [:]
        var highest = 0
        while true {
            let event = try events.next()
            if event.kind == .mappingEnd { break }
            let key = try key(event)
            if let line = lines[key] {
                throw YAMLError(.duplicateKey, at: event.mark, "the key '\(key)' already exists in line \(line)")
            }
            lines[key] = event.mark.line
            entries.append(YAMLEntry(key: key, at: event.mark, value: try node(try events.next(), depth: depth)))
            highest = max(highest, height)
        }
        height = highest + 1
        return entries
    }

    private mutating func key(_ event: YAMLEvent) throws(YAMLError) -> String {
        guard case .scalar(let key, _) = event.kind, event.tag == nil, event.anchor == nil else {
            throw YAMLError(.unsupported, at: event.mark, "a key must be plain text, without a tag, anchor or alias")
        }
        try count(1, at: event.mark)
        return key
    }

    /// Resolves an alias. An anchor is registered only when its node is finished, so a node cannot contain itself.
    private mutating func alias(_ name: String, at mark: YAMLMark, depth: Int) throws(YAMLError) -> YAMLNode {
        guard let anchored = anchors[name] else {
            throw YAMLError(.syntax, at: mark, "there is no anchor '&\(name)' before this '*\(name)'")
        }
        try check(depth: depth + anchored.depth, at: mark)
        try count(anchored.nodes, at: mark)
        height = anchored.depth
        return YAMLNode(anchored.content, at: mark)
    }

    private func check(depth: Int, at mark: YAMLMark) throws(YAMLError) {
        if depth > YAML.maximumDepth {
            throw YAMLError(.tooLarge, at: mark, "it is nested deeper than \(YAML.maximumDepth) levels")
        }
    }

    private mutating func count(_ more: Int, at mark: YAMLMark) throws(YAMLError) {
        nodes += more
        if nodes > YAML.maximumNodes {
            throw YAMLError(.tooLarge, at: mark, "it has more than \(YAML.maximumNodes) values, including aliases")
        }
    }
}
