// Re-exported, because AuthStateKit's public API uses their types: `import AuthStateKit` is enough.
@_exported public import AuthStateJOSE
@_exported public import AuthStateOAuth
