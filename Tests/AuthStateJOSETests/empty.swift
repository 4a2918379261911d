// AuthStateJOSETests
