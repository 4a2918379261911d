/// Several observers as one, for example for logs and metrics; each receives every event, in this order.
public struct AuthStateObserverGroup: AuthStateObserver {
    private let observers: [any AuthStateObserver]

    /// Makes a group.
    public init(_ observers: any AuthStateObserver...) { self.observers = observers }

    /// Hands an event to every observer.
    public func authState(_ state: AuthState, did event: AuthStateEvent) {
        for observer in observers { observer.authState(state, did: event) }
    }
}
