@testable import Desktop
@testable import LatchKit

extension FuzzedParser {
    static let desktop = [
        FuzzedParser("loopback-request") { input in
            guard let request = LoopbackRequest(input) else { return }
            try require(request.target.hasPrefix("/"), "A target that is no path was accepted.")
            try require(
                request.target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F },
                "A target with an invisible byte was accepted.")
            try require(!request.path.contains("?"), "The path holds the query.")
            try require(!request.host.contains { $0.isNewline }, "The host holds a line's end.")
        },
        FuzzedParser("callback-link") { input in
            let link = input.text
            switch Result(catching: { () throws(LatchError) in try CallbackLink(link) }) {
            case .success:
                try require(link.utf8.count <= LinkReceiver.longestLink, "A link that is too long was accepted.")
                try require(link.contains("state") || link.contains("%"), "A link without a state was accepted.")
            case .failure(let error):
                try require(error.code == .noPendingSignIn, "A link was refused for another reason.")
            }
        },
        FuzzedParser("browser-command") { input in
            guard let words = CommandWords.split(input.text) else { return }
            try require(words.reduce(0) { $0 + $1.count } <= input.text.count, "Words were made out of nothing.")
        },
        FuzzedParser("mime-associations") { input in
            let text = input.text
            let kept = MIMEAssociations.removing(SchemeRegistration.entry, from: text)
            try require(kept.utf8.count <= text.utf8.count + 1, "The list grew.")
            if !text.contains(SchemeRegistration.entry) {
                try require(kept == text, "A list without the entry changed.")
            }
            let again = MIMEAssociations.removing(SchemeRegistration.entry, from: kept)
            try require(again == kept, "Removing twice is not removing once.")
        },
    ]
}
