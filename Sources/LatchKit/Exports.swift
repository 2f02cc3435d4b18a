// Modules whose types appear in the public API of this library. Apps need only `import LatchKit`.
@_exported public import Crypto
@_exported public import HTTPClient
@_exported public import SecretStorage
@_exported public import Wire
