import LatchGateway
import Primitives
import Terminal

extension ConfigurationFile {
    /// Where the configuration came from, as text for people.
    var source: String {
        path?.printable ?? "no file: defaults and the environment"
    }
}
