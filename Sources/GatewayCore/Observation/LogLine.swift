import FoundationEssentials
import Primitives

/// The formatting of log lines.
enum LogLine {
    static func appendText(
        to line: inout [UInt8], time: Date, level: Log.Level, message: String,
        values: KeyValuePairs<String, LogValue?>, trace: String?
    ) {
        line += Timestamp.bytes(time, fraction: true)
        let name = "\(level)"
        JSONText.append(ascii: " \(name)\(String(repeating: " ", count: 8 - name.utf8.count))\(message)", to: &line)
        for case (let key, let value?) in values {
            JSONText.append(ascii: " \(key)=", to: &line)
            if case .text(let text) = value, isPlain(text) {
                line += text.utf8
            } else {
                append(value, to: &line)
            }
        }
        if let trace { JSONText.append(ascii: " trace=\(trace)", to: &line) }
        line.append(UInt8(ascii: "\n"))
    }

    static func appendJSON(
        to line: inout [UInt8], time: Date, values: KeyValuePairs<String, LogValue?>
    ) {
        JSONText.append(ascii: "{\"time\":\"", to: &line)
        line += Timestamp.bytes(time, fraction: true)
        line.append(UInt8(ascii: "\""))
        appendMembers(to: &line, values)
        JSONText.append(ascii: "}\n", to: &line)
    }

    static func appendJSON(
        to line: inout [UInt8], time: Date, level: Log.Level, message: String,
        values: KeyValuePairs<String, LogValue?>, trace: String?
    ) {
        JSONText.append(ascii: "{\"time\":\"", to: &line)
        line += Timestamp.bytes(time, fraction: true)
        line.append(UInt8(ascii: "\""))
        appendMembers(to: &line, ["level": .text("\(level)"), "message": .text(message)])
        appendMembers(to: &line, values)
        if let trace { appendMembers(to: &line, ["trace": .text(trace)]) }
        JSONText.append(ascii: "}\n", to: &line)
    }

    private static func appendMembers(to line: inout [UInt8], _ values: KeyValuePairs<String, LogValue?>) {
        for case (let key, let value?) in values {
            JSONText.append(ascii: ",\"\(key)\":", to: &line)
            append(value, to: &line)
        }
    }

    private static func append(_ value: LogValue, to line: inout [UInt8]) {
        switch value {
        case .text(let text): JSONText.append(text, to: &line)
        case .number(let number): line += String(number).utf8
        case .duration(let duration): line += milliseconds(duration).utf8
        }
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let microseconds = Int((duration.seconds * 1_000_000).rounded())
        let rest = String(microseconds % 1_000)
        return "\(microseconds / 1_000).\(String(repeating: "0", count: 3 - rest.utf8.count))\(rest)"
    }

    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=") }
    }
}
