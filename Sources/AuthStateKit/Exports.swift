// Re-exported, because AuthStateKit's public API uses their types: `import AuthStateKit` is enough.
@_exported public import AuthStateJOSE
@_exported public import AuthStateOAuth
@_exported public import AuthStateStorage
@_exported public import AuthStateSystem
@_exported public import AuthStateTransport
@_exported public import AuthStateUserAgent
