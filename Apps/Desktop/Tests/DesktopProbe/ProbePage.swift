import CAdwaita
import Observation
import Widgets

/// The number of objects that are alive.
@MainActor
final class Counter {
    var count = 0
}

/// A page with one of each kind of connection, which counts itself and its closures.
@MainActor @Observable
final class ProbePage {
    /// An object that a closure captures.
    @MainActor
    final class Token {
        let alive: Counter

        init(_ alive: Counter) {
            self.alive = alive
            alive.count += 1
        }

        isolated deinit { alive.count -= 1 }
    }

    private(set) var number = 0
    @ObservationIgnored private let token: Token
    @ObservationIgnored private let name = TextRow("Name")
    @ObservationIgnored private let list: ItemList<Token>

    init(_ alive: Counter) {
        token = Token(alive)
        list = ItemList("List", make: { (Token(alive), Label()) }, show: { _, _ in })
        list.items.count = 1_000_000
        let other = Token(alive)
        name.onEdit { [unowned self] _ in number += 1 }.onReturn { _ = other }
        observing(self) { $0.name.text = "\($0.number)" }
    }

    func page() -> Page {
        let button = Button.suggested("Press") { [unowned self] in number += 1 }
        var page = Page("Probe", owner: self, Page.form(Group(nil, [name]), button, list))
        page.focus = name
        return page
    }
}
