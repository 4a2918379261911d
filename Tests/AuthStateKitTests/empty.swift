// AuthStateKitTests
