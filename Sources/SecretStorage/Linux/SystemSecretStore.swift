/// The secret store of the system.
package typealias SystemSecretStore = SecretServiceStore
