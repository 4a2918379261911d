import CFaults

/// The moments of a renewal that a process can be killed at, in order.
enum Phase: String, Codable, CaseIterable {
    case beforeSend = "before send"
    case sent, received, filled, written, renamed

    var code: FaultsPhase {
        switch self {
        case .beforeSend: FaultsPhaseBeforeSend
        case .sent: FaultsPhaseSent
        case .received: FaultsPhaseReceived
        case .filled: FaultsPhaseFilled
        case .written: FaultsPhaseWritten
        case .renamed: FaultsPhaseRenamed
        }
    }

    /// Whether the provider has rotated by then, and the new refresh token is nowhere but in the process.
    var isInTheWindow: Bool { self == .sent || self == .received }
}
