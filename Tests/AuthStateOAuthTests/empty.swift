// AuthStateOAuthTests
