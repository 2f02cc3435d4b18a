/// The reason why a host name is not valid. The raw value says it in words that follow "the host name".
package enum HostNameError: String, Error {
    /// The name is empty, or two dots follow each other.
    case emptyLabel = "has an empty part"
    /// A label has a character that UTS #46 does not allow, or a joiner where it is not allowed.
    case disallowedCharacter = "contains a character that host names must not contain"
    /// A label begins or ends with a hyphen.
    case hyphenAtEdge = "has a part that begins or ends with a hyphen"
    /// A label outside ASCII has hyphens as its third and fourth character.
    case twoHyphens = "has a part whose third and fourth characters are hyphens"
    /// A label begins with a combining mark.
    case leadingMark = "has a part that begins with a combining mark"
    /// A label violates the rule for names that are written from right to left.
    case mixedDirections = "has a part that mixes writing directions in a way that host names must not"
    /// A label begins with `xn--` and cannot be decoded.
    case invalidPunycode = "has a part that begins with xn-- and is not valid Punycode"
    /// A label begins with `xn--` and decodes to text that is not normalized or not allowed.
    case notNormalized = "has a part that begins with xn-- and stands for text that host names must not contain"
    /// A label is too long.
    case labelTooLong = "has a part that is longer than 63 characters"
    /// The name is too long.
    case nameTooLong = "is longer than 253 characters"
    /// Memory cannot be allocated.
    case outOfMemory = "cannot be converted, because there is not enough memory"
}
