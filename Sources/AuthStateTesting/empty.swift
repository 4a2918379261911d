// AuthStateTesting
