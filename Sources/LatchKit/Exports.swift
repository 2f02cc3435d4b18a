// The modules whose types stand in this library's own signatures: `import LatchKit` is enough for an app.
@_exported public import Crypto
@_exported public import HTTPClient
@_exported public import SecretStorage
@_exported public import Wire
