// The types of other modules that appear in the public API of this library. A program needs only `import LatchKit`.
@_exported public import struct Crypto.Secret
@_exported public import struct Desktop.NetworkState
@_exported public import enum HTTPClient.CertificateAuthorities
@_exported public import struct HTTPClient.CertificateFingerprint
@_exported public import enum HTTPClient.ClientCertificate
@_exported public import struct HTTPClient.ClientResponse
@_exported public import struct HTTPClient.PresentedCertificate
@_exported public import struct HTTPMessages.HTTPHeaders
@_exported public import struct HTTPMessages.HTTPMethod
@_exported public import struct HTTPMessages.HTTPStatus
@_exported public import class SecretStorage.MemoryStore
@_exported public import struct SecretStorage.SecretKey
@_exported public import enum SecretStorage.SecretStorageChoice
@_exported public import struct SecretStorage.SecretStorageError
@_exported public import protocol SecretStorage.SecretStoring
