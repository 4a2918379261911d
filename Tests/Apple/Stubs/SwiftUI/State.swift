import Combine
import Observation

public protocol DynamicProperty {}

@propertyWrapper
public struct State<Value>: DynamicProperty {
    private final class Storage { var value: Value; init(_ value: Value) { self.value = value } }
    private let storage: Storage
    public init(wrappedValue value: Value) { storage = Storage(value) }
    public init(initialValue value: Value) { storage = Storage(value) }
    public var wrappedValue: Value {
        get { storage.value }
        nonmutating set { storage.value = newValue }
    }
    public var projectedValue: Binding<Value> { Binding(reading: { wrappedValue }, writing: { wrappedValue = $0 }) }
}

@available(*, unavailable)
extension State: Sendable {}

@propertyWrapper @dynamicMemberLookup
public struct Binding<Value> {
    private let getter: () -> Value
    private let setter: (Value) -> Void
    @preconcurrency
    public init(
        get: @escaping @isolated(any) @Sendable () -> Value, set: @escaping @isolated(any) @Sendable (Value) -> Void
    ) {
        self.init(reading: { fatalError("a stub") }, writing: { _ in fatalError("a stub") })
    }
    init(reading getter: @escaping () -> Value, writing setter: @escaping (Value) -> Void) {
        self.getter = getter
        self.setter = setter
    }
    public static func constant(_ value: Value) -> Binding<Value> { Binding(reading: { value }, writing: { _ in }) }
    public var wrappedValue: Value {
        get { getter() }
        nonmutating set { setter(newValue) }
    }
    public var projectedValue: Binding<Value> { self }
    public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
        Binding<Subject>(
            reading: { wrappedValue[keyPath: keyPath] }, writing: { wrappedValue[keyPath: keyPath] = $0 })
    }
}

extension Binding: @unchecked Sendable where Value: Sendable {}

@propertyWrapper @dynamicMemberLookup
public struct Bindable<Value> {
    public var wrappedValue: Value
    public var projectedValue: Bindable<Value> { self }
    @available(*, unavailable)
    public init(wrappedValue: Value) { fatalError("a stub") }
}

extension Bindable where Value: AnyObject & Observable {
    public init(wrappedValue: Value) { self.init(unchecked: wrappedValue) }
    public init(_ wrappedValue: Value) { self.init(unchecked: wrappedValue) }
    public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject> {
        fatalError("a stub")
    }
}

extension Bindable {
    fileprivate init(unchecked value: Value) { wrappedValue = value }
}

@MainActor @preconcurrency
@propertyWrapper
public struct StateObject<ObjectType: ObservableObject>: DynamicProperty {
    nonisolated public init(wrappedValue thunk: @autoclosure @escaping () -> ObjectType) {}
    public var wrappedValue: ObjectType { fatalError("a stub") }
    public var projectedValue: ObservedObject<ObjectType>.Wrapper { fatalError("a stub") }
}

@MainActor @preconcurrency
@propertyWrapper
public struct ObservedObject<ObjectType: ObservableObject>: DynamicProperty {
    @MainActor @preconcurrency @dynamicMemberLookup
    public struct Wrapper {
        public subscript<Subject>(
            dynamicMember keyPath: ReferenceWritableKeyPath<ObjectType, Subject>
        ) -> Binding<Subject> { fatalError("a stub") }
    }
    nonisolated public init(wrappedValue: ObjectType) {}
    public var wrappedValue: ObjectType {
        get { fatalError("a stub") }
        set {}
    }
    public var projectedValue: Wrapper { fatalError("a stub") }
}
