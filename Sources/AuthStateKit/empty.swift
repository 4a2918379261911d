// AuthStateKit
