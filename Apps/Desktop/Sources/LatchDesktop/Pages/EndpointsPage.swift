import CAdwaita
import LatchScreens
import Widgets

/// The addresses of the server, and the Wi-Fi networks of the local one.
@MainActor
final class EndpointsPage {
    private typealias Text = EndpointsScreen.Text

    private let screen: EndpointsScreen
    private let list: RowList<EndpointsScreen.Row>
    private let test: Button
    private let address = TextRow(Text.address, purpose: GTK_INPUT_PURPOSE_URL)
    private let isLocal: SwitchRow
    private let add: Button
    private let suggestion: Button
    private let networks = Stacked.column()
    private let network = TextRow(Text.network)
    private let addNetwork: Button
    private var shownNetworks: [String]?

    /// Makes the page.
    static func page(_ screen: EndpointsScreen) -> Page {
        let owner = EndpointsPage(screen)
        return Page(
            Text.title, owner: owner,
            Page.form(
                width: 600, isCentered: false, owner.list.content, owner.test,
                Group(Text.add, [owner.address, owner.isLocal]), owner.suggestion, owner.add,
                owner.networks, Group(nil, [owner.network]), owner.addNetwork))
    }

    private init(_ screen: EndpointsScreen) {
        self.screen = screen
        test = .pill(Text.test) { screen.test() }
        isLocal = SwitchRow(Text.isLocal) { screen.isLocal = $0 }
        add = .pill(Text.add) { screen.add() }
        suggestion = .flat("") { screen.useSuggestion() }.shortened()
        addNetwork = .pill(Text.addNetwork) { screen.addNetwork() }
        list = RowList(Text.title, retry: { screen.load() }) { Self.row($0, screen) }
        address.onEdit { screen.address = $0 }.onReturn { screen.add() }
        network.onEdit { screen.network = $0 }.onReturn { screen.addNetwork() }
        observing(self) { $0.draw() }
        list.content.whileShown { screen.load() }
    }

    private func draw() {
        list.show(screen.state, isBusy: screen.isBusy)
        for element in [test, add, addNetwork, networks] as [any Element] { element.isSensitive = !screen.isBusy }
        address.text = screen.address
        isLocal.isOn = screen.isLocal
        network.text = screen.network
        suggestion.isVisible = screen.suggestion != nil
        if let title = screen.suggestionTitle { suggestion.title = title }
        guard screen.networks != shownNetworks else { return }
        shownNetworks = screen.networks
        networks.removeAll()
        networks.append(Group(Text.networks, screen.networks.map { Self.row(ofNetwork: $0, screen) }))
    }

    private static func row(_ endpoint: EndpointsScreen.Row, _ screen: EndpointsScreen) -> any Element {
        let kind =
            switch endpoint.kind {
            case .local: Text.local
            case .external: Text.external
            case .own: Text.own
            }
        let lines = [kind, endpoint.test].compactMap(\.self)
        let row = ActionRow(endpoint.id, subtitle: lines.joined(separator: "\n"))
        if endpoint.kind == .external {
            row.suffix(Button(Text.prefer) { screen.prefer(endpoint.address) }.described(endpoint.id))
        }
        if endpoint.kind != .own {
            let remove = Button(icon: "user-trash-symbolic", name: Text.remove) { screen.remove(endpoint.address) }
            row.suffix(remove.styled("flat").described(endpoint.id))
        }
        return row
    }

    private static func row(ofNetwork name: String, _ screen: EndpointsScreen) -> any Element {
        let remove = Button(icon: "user-trash-symbolic", name: Text.remove) { screen.removeNetwork(name) }
        return ActionRow(name).suffix(remove.styled("flat").described(name))
    }
}
