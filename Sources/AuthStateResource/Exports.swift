// `import AuthStateResource` is enough: its public API uses the core's types.
@_exported public import AuthStateKit

@_exported public import struct AuthStateOAuth.AddressPolicy
@_exported public import struct AuthStateOAuth.ClientMetadataDocument
@_exported public import struct AuthStateOAuth.InternetAddress
@_exported public import struct AuthStateOAuth.ProtectedResourceMetadata
@_exported public import struct AuthStateOAuth.ResourceIdentifier
@_exported public import enum AuthStateOAuth.ScopeSelection
