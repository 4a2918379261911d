// AuthStateOAuth
