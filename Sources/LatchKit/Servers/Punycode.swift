/// Encodes Unicode labels of host names in ASCII letters, digits and hyphens, and decodes them.
///
/// Source: RFC 3492 §5 and §6.
enum Punycode {
    private static let base = 36
    private static let tMin = 1
    private static let tMax = 26

    /// Returns the encoded label without the prefix `xn--`. Nil on overflow.
    static func encode(_ label: some StringProtocol) -> String? {
        let input = label.unicodeScalars.map { Int($0.value) }
        var output = input.filter { $0 < 0x80 }.map { UInt8($0) }
        let basicCount = output.count
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var (n, delta, bias, handled) = (0x80, 0, 72, basicCount)
        while handled < input.count {
            guard let next = input.filter({ $0 >= n }).min() else { return nil }
            let (step, overflow) = (next - n).multipliedReportingOverflow(by: handled + 1)
            guard !overflow, delta <= Int(Int32.max) - step else { return nil }
            delta += step
            n = next
            for scalar in input {
                if scalar < n { delta += 1 }
                guard scalar == n else { continue }
                appendInteger(delta, bias, to: &output)
                bias = adapt(delta, count: handled + 1, isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            n += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Returns the Unicode scalars of an encoded label without the prefix `xn--`. Nil when it is not valid Punycode.
    static func decode(_ text: some StringProtocol) -> [Unicode.Scalar]? {
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        let mark = bytes.lastIndex(of: UInt8(ascii: "-"))
        var output = bytes[..<(mark ?? 0)].map { Unicode.Scalar($0) }
        var rest = bytes[(mark.map { $0 + 1 } ?? 0)...]
        var (n, i, bias) = (0x80, 0, 72)
        while !rest.isEmpty {
            guard let delta = takeInteger(bias, from: &rest), i <= Int(Int32.max) - delta else { return nil }
            let isFirst = i == 0 && n == 0x80
            i += delta
            let count = output.count + 1
            bias = adapt(delta, count: count, isFirst: isFirst)
            n += i / count
            i %= count
            guard n <= 0x10FFFF, let scalar = Unicode.Scalar(UInt32(n)) else { return nil }
            output.insert(scalar, at: i)
            i += 1
        }
        return output
    }

    private static func appendInteger(_ value: Int, _ bias: Int, to output: inout [UInt8]) {
        var (q, k) = (value, base)
        while true {
            let t = threshold(k, bias)
            guard q >= t else { break }
            output.append(digit(t + (q - t) % (base - t)))
            q = (q - t) / (base - t)
            k += base
        }
        output.append(digit(q))
    }

    private static func takeInteger(_ bias: Int, from rest: inout ArraySlice<UInt8>) -> Int? {
        var (value, weight, k) = (0, 1, base)
        while let byte = rest.popFirst() {
            guard let digit = digitValue(byte) else { return nil }
            let (part, overflow) = digit.multipliedReportingOverflow(by: weight)
            guard !overflow, value <= Int(Int32.max) - part else { return nil }
            value += part
            let t = threshold(k, bias)
            if digit < t { return value }
            weight *= base - t
            guard weight <= Int(Int32.max) else { return nil }
            k += base
        }
        return nil
    }

    private static func threshold(_ k: Int, _ bias: Int) -> Int {
        min(max(k - bias, tMin), tMax)
    }

    private static func adapt(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var k = 0
        while delta > (base - tMin) * tMax / 2 {
            delta /= base - tMin
            k += base
        }
        return k + (base - tMin + 1) * delta / (delta + 38)
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(value < 26 ? value + 0x61 : value - 26 + 0x30)
    }

    private static func digitValue(_ byte: UInt8) -> Int? {
        switch byte {
        case 0x61...0x7A: Int(byte) - 0x61
        case 0x41...0x5A: Int(byte) - 0x41
        case 0x30...0x39: Int(byte) - 0x30 + 26
        default: nil
        }
    }
}
