// What the public API of AuthStateKit shows: whoever imports it alone has the protocol's values too.
@_exported public import AuthStateJOSE
@_exported public import AuthStateOAuth
