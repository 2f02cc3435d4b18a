// A stand-in of what the views use of this framework, written from its documentation, to type-check them on Linux.
// It does nothing, and proves nothing about an Apple system.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported public import Observation

// Source: https://developer.apple.com/documentation/swiftui/view
@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}
extension Never: View {
    public var body: Never { fatalError("A stand-in has no body.") }
}

/// A view of the framework itself.
public protocol Primitive: View where Body == Never {}
extension Primitive {
    public var body: Never { fatalError("A stand-in has no body.") }
}
extension Optional: View, Primitive where Wrapped: View {
    public typealias Body = Never
}
public struct EmptyView: Primitive {}
public struct TupleView<T>: Primitive {}
public struct ConditionalContent<First, Second>: Primitive {}

// Source: https://developer.apple.com/documentation/swiftui/viewbuilder
@resultBuilder public enum ViewBuilder {
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<C: View>(_ content: C) -> C { content }
    public static func buildBlock<each C: View>(_ content: repeat each C) -> TupleView<(repeat each C)> { TupleView() }
    public static func buildIf<C: View>(_ content: C?) -> C? { content }
    public static func buildEither<A: View, B: View>(first: A) -> ConditionalContent<A, B> { ConditionalContent() }
    public static func buildEither<A: View, B: View>(second: B) -> ConditionalContent<A, B> { ConditionalContent() }
}

// Source: https://developer.apple.com/documentation/swiftui/bindable, binding and state
@MainActor @preconcurrency @propertyWrapper @dynamicMemberLookup public struct Bindable<Value> {
    public var wrappedValue: Value
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public var projectedValue: Bindable<Value> { self }
    public subscript<Subject>(dynamicMember path: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject>
    where Value: AnyObject {
        Binding {
            fatalError()
        } set: { _ in
        }
    }
}
@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
    public init(
        get: @escaping @isolated(any) @Sendable () -> Value, set: @escaping @isolated(any) @Sendable (Value) -> Void
    ) {}
    public var wrappedValue: Value {
        get { fatalError("A stand-in has no value.") }
        nonmutating set {}
    }
    public subscript<Subject>(dynamicMember path: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
        Binding<Subject> {
            fatalError()
        } set: { _ in
        }
    }
}
@propertyWrapper public struct State<Value> {
    private let value: Value
    public init(wrappedValue: Value) { value = wrappedValue }
    public var wrappedValue: Value {
        get { value }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> {
        Binding {
            fatalError()
        } set: { _ in
        }
    }
}

// Source: https://developer.apple.com/documentation/swiftui/text
public struct Text: Primitive {
    public nonisolated init<S: StringProtocol>(_ content: S) {}
}

// Source: https://developer.apple.com/documentation/swiftui/button and buttonrole
public struct ButtonRole: Equatable, Sendable {
    public static let destructive = ButtonRole()
    public static let cancel = ButtonRole()
}
public struct Button<Label: View>: Primitive {
    @preconcurrency public nonisolated init<S: StringProtocol>(
        _ title: S, action: @escaping @MainActor () -> Void
    ) where Label == Text {}
    @preconcurrency public nonisolated init<S: StringProtocol>(
        _ title: S, role: ButtonRole?, action: @escaping @MainActor () -> Void
    ) where Label == Text {}
}

// Source: https://developer.apple.com/documentation/swiftui/textfield, securefield, toggle
public struct TextField<Label: View>: Primitive {
    public nonisolated init<S: StringProtocol>(_ title: S, text: Binding<String>) where Label == Text {}
    public nonisolated init<S: StringProtocol>(_ title: S, text: Binding<String>, prompt: Text?) where Label == Text {}
}
public struct SecureField<Label: View>: Primitive {
    public nonisolated init<S: StringProtocol>(_ title: S, text: Binding<String>) where Label == Text {}
}
public struct Toggle<Label: View>: Primitive {
    public nonisolated init<S: StringProtocol>(_ title: S, isOn: Binding<Bool>) where Label == Text {}
}

// Source: https://developer.apple.com/documentation/swiftui/progressview, labeledcontent, sharelink
public struct ProgressView<Label: View>: Primitive {
    public nonisolated init() where Label == EmptyView {}
    public nonisolated init<S: StringProtocol>(_ title: S) where Label == Text {}
}
public struct LabeledContent<Label: View, Content: View>: Primitive {
    public nonisolated init<S1: StringProtocol, S2: StringProtocol>(_ title: S1, value: S2)
    where Label == Text, Content == Text {}
    public nonisolated init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) where Label == Text {}
}
public struct ShareLink: Primitive {
    public nonisolated init<S: StringProtocol>(_ title: S, item: String) {}
}

// Source: https://developer.apple.com/documentation/swiftui/form, list, section, foreach
public struct Form<Content: View>: Primitive {
    public nonisolated init(@ViewBuilder content: () -> Content) {}
}
public struct List<Content: View>: Primitive {
    public nonisolated init(@ViewBuilder content: () -> Content) {}
}
public struct Section<Content: View>: Primitive {
    public nonisolated init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) {}
}
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: Primitive {
    public nonisolated init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content)
    where Data.Element: Identifiable, ID == Data.Element.ID {}
    public nonisolated init(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {}
}

// Source: https://developer.apple.com/documentation/swiftui/navigationstack and navigationlink
public struct NavigationStack<Root: View>: Primitive {
    public nonisolated init(@ViewBuilder root: () -> Root) {}
}
public struct NavigationLink<Label: View, Destination: View>: Primitive {
    public nonisolated init<S: StringProtocol>(_ title: S, @ViewBuilder destination: () -> Destination)
    where Label == Text {}
}

// Source: https://developer.apple.com/documentation/swiftui/color
public struct Color: Sendable { public static let red = Color() }

// Source: https://developer.apple.com/documentation/swiftui/view-modifiers
extension View {
    public nonisolated func disabled(_ disabled: Bool) -> some View { self }
    public nonisolated func onSubmit(_ action: @escaping () -> Void) -> some View { self }
    public nonisolated func autocorrectionDisabled(_ disable: Bool = true) -> some View { self }
    public nonisolated func foregroundStyle(_ style: Color) -> some View { self }
    public nonisolated func navigationTitle<S: StringProtocol>(_ title: S) -> some View { self }
    public nonisolated func task(_ action: sending @escaping @isolated(any) () async -> Void) -> some View { self }
}
