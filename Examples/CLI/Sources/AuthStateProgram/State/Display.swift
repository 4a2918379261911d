import AuthStatePlatform

/// The display on which the keyring can ask the user.
enum Display {
    /// Whether the environment names one.
    static var isPresent: Bool {
        let environment = ProcessInfo.processInfo.environment
        return ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
    }
}
