// `import AuthStateApp` is enough: its public API uses the core's types.
@_exported public import AuthStateKit
@_exported public import AuthStateProviders

@_exported public import struct AuthStateOAuth.AppleUser
@_exported public import struct AuthStateUserAgent.RestoredRedirect
