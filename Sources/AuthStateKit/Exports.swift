// Re-exported, because AuthStateKit's public API uses their types: `import AuthStateKit` is enough. Of AuthStateJOSE only
// those types: a program that wants its digests and encodings imports AuthStateJOSE too.
@_exported public import AuthStateOAuth
@_exported public import AuthStateStorage
@_exported public import AuthStateSystem
@_exported public import AuthStateTransport
@_exported public import AuthStateUserAgent

@_exported public import struct AuthStateJOSE.JOSEError
@_exported public import struct AuthStateJOSE.JSONError
@_exported public import struct AuthStateJOSE.JSONNumber
@_exported public import enum AuthStateJOSE.JSONValue
@_exported public import struct AuthStateJOSE.JSONWebKey
@_exported public import struct AuthStateJOSE.JSONWebKeySet
@_exported public import struct AuthStateJOSE.JSONWebToken
@_exported public import struct AuthStateJOSE.SecretBytes
@_exported public import struct AuthStateJOSE.SignatureAlgorithm
@_exported public import struct AuthStateJOSE.SigningKey
