import LatchGateway
import Primitives
import Terminal

extension ConfigurationFile {
    /// What a person reads of where the configuration came from.
    var source: String {
        path?.printable ?? "no file: defaults and the environment"
    }
}
