// `import AuthStateProviders` is enough: its public API uses the core's types.
@_exported public import AuthStateKit
