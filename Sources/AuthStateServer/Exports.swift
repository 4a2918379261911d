// `import AuthStateServer` is enough: its public API uses the core's types.
@_exported public import AuthStateKit

@_exported public import struct AuthStateOAuth.LogoutToken
@_exported public import struct AuthStateOAuth.ThirdPartyLogin
