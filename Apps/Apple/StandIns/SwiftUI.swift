// A stand-in of what the views use of this framework, written from its documentation, to type-check them on Linux.
// It does nothing, proves nothing about an Apple system, and was never run on one.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported public import CoreGraphics
public import Foundation
@_exported public import Observation
public import UniformTypeIdentifiers

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
public enum ScenePhase: Comparable, Sendable { case background, inactive, active }
public struct EnvironmentValues: Sendable { public var scenePhase: ScenePhase { .active } }
@MainActor @preconcurrency @propertyWrapper public struct Environment<Value> {
    public init(_ path: KeyPath<EnvironmentValues, Value>) {}
    public var wrappedValue: Value { fatalError("A stand-in has no value.") }
}
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
    public nonisolated init<V: BinaryFloatingPoint>(value: V?) where Label == EmptyView {}
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

// Source: https://developer.apple.com/documentation/swiftui/picker
public struct Picker<Label: View, SelectionValue: Hashable, Content: View>: Primitive {
    public nonisolated init<S: StringProtocol>(
        _ title: S, selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content
    ) where Label == Text {}
}

// Source: https://developer.apple.com/documentation/swiftui/image
public struct Image: Primitive {
    public nonisolated init(systemName: String) {}
    public nonisolated init(decorative cgImage: CGImage, scale: CGFloat) {}
    public nonisolated func resizable() -> Image { self }
}

// Source: https://developer.apple.com/documentation/swiftui/alignment and unitpoint
public struct Alignment: Equatable, Sendable {
    public static let center = Alignment()
    public static let bottomTrailing = Alignment()
}
public struct UnitPoint: Hashable, Sendable { public static let top = UnitPoint() }

// Source: https://developer.apple.com/documentation/swiftui/hstack, vstack, zstack
public struct HStack<Content: View>: Primitive {
    public nonisolated init(@ViewBuilder content: () -> Content) {}
}
public struct VStack<Content: View>: Primitive {
    public nonisolated init(@ViewBuilder content: () -> Content) {}
}
public struct ZStack<Content: View>: Primitive {
    public nonisolated init(alignment: Alignment = .center, @ViewBuilder content: () -> Content) {}
}

// Source: https://developer.apple.com/documentation/swiftui/lazyvgrid and griditem
public struct GridItem: Sendable {
    public enum Size: Sendable { case adaptive(minimum: CGFloat, maximum: CGFloat = .infinity) }
    public init(_ size: Size) {}
}
public struct LazyVGrid<Content: View>: Primitive {
    public nonisolated init(columns: [GridItem], @ViewBuilder content: () -> Content) {}
}

// Source: https://developer.apple.com/documentation/swiftui/scrollview, scrollviewreader and scrollviewproxy
public struct Axis: Sendable {
    public struct Set: OptionSet, Sendable {
        public static let horizontal = Set(rawValue: 1)
        public static let vertical = Set(rawValue: 2)
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
    }
}
public struct ScrollView<Content: View>: Primitive {
    public nonisolated init(_ axes: Axis.Set = .vertical, @ViewBuilder content: () -> Content) {}
}
public struct ScrollViewProxy {
    public func scrollTo<ID: Hashable>(_ id: ID, anchor: UnitPoint? = nil) {}
}
public struct ScrollViewReader<Content: View>: Primitive {
    public nonisolated init(@ViewBuilder content: @escaping (ScrollViewProxy) -> Content) {}
}

// Source: https://developer.apple.com/documentation/swiftui/canvas, graphicscontext and path
public struct Path: Sendable { public init(_ rect: CGRect) {} }
public struct GraphicsContext {
    public struct Shading: Sendable { public static func color(_ color: Color) -> Shading { Shading() } }
    public func fill(_ path: Path, with shading: Shading) {}
}
public struct Canvas: Primitive {
    public nonisolated init(renderer: @escaping (inout GraphicsContext, CGSize) -> Void) {}
}

// Source: https://developer.apple.com/documentation/swiftui/color
public struct Color: Sendable {
    public static let red = Color()
    public static let black = Color()
    public static let white = Color()
}

// Source: https://developer.apple.com/documentation/swiftui/primitivebuttonstyle/borderless
@MainActor @preconcurrency public protocol PrimitiveButtonStyle {}
public struct BorderlessButtonStyle: PrimitiveButtonStyle { public nonisolated init() {} }
extension PrimitiveButtonStyle where Self == BorderlessButtonStyle {
    public static var borderless: BorderlessButtonStyle { BorderlessButtonStyle() }
}

// Source: https://developer.apple.com/documentation/swiftui/accessibilitytraits
public struct AccessibilityTraits: SetAlgebra, Sendable {
    private var traits: Set<Int> = []
    public static let isButton = AccessibilityTraits([1])
    public static let isSelected = AccessibilityTraits([2])
    public init() {}
    private init(_ traits: Set<Int>) { self.traits = traits }
    public func contains(_ member: Self) -> Bool { traits.isSuperset(of: member.traits) }
    public func union(_ other: Self) -> Self { Self(traits.union(other.traits)) }
    public func intersection(_ other: Self) -> Self { Self(traits.intersection(other.traits)) }
    public func symmetricDifference(_ other: Self) -> Self { Self(traits.symmetricDifference(other.traits)) }
    public mutating func insert(_ new: Self) -> (inserted: Bool, memberAfterInsert: Self) {
        traits.formUnion(new.traits)
        return (true, new)
    }
    public mutating func remove(_ member: Self) -> Self? { nil }
    public mutating func update(with new: Self) -> Self? { nil }
    public mutating func formUnion(_ other: Self) { traits.formUnion(other.traits) }
    public mutating func formIntersection(_ other: Self) { traits.formIntersection(other.traits) }
    public mutating func formSymmetricDifference(_ other: Self) { traits.formSymmetricDifference(other.traits) }
}

// Source: https://developer.apple.com/documentation/swiftui/view-modifiers
extension View {
    public nonisolated func disabled(_ disabled: Bool) -> some View { self }
    public nonisolated func onSubmit(_ action: @escaping () -> Void) -> some View { self }
    public nonisolated func autocorrectionDisabled(_ disable: Bool = true) -> some View { self }
    public nonisolated func foregroundStyle(_ style: Color) -> some View { self }
    public nonisolated func navigationTitle<S: StringProtocol>(_ title: S) -> some View { self }
    public nonisolated func task(_ action: sending @escaping @isolated(any) () async -> Void) -> some View { self }
    public nonisolated func task<T: Equatable>(
        id value: T, _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { self }
    public nonisolated func onAppear(perform action: (() -> Void)? = nil) -> some View { self }
    public nonisolated func onDisappear(perform action: (() -> Void)? = nil) -> some View { self }
    public nonisolated func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
    ) -> some View { self }
    public nonisolated func frame(width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center)
        -> some View
    { self }
    public nonisolated func scaledToFit() -> some View { self }
    public nonisolated func buttonStyle<S: PrimitiveButtonStyle>(_ style: S) -> some View { self }
    public nonisolated func tag<V: Hashable>(_ tag: V) -> some View { self }
    public nonisolated func onTapGesture(count: Int = 1, perform action: @escaping () -> Void) -> some View { self }
    public nonisolated func onLongPressGesture(
        minimumDuration: Double = 0.5, perform action: @escaping () -> Void
    ) -> some View { self }
    public nonisolated func scrollTargetLayout(isEnabled: Bool = true) -> some View { self }
    public nonisolated func onScrollTargetVisibilityChange<ID: Hashable>(
        idType: ID.Type, threshold: Double = 0.5, _ action: @escaping ([ID]) -> Void
    ) -> some View { self }
    public nonisolated func fileImporter(
        isPresented: Binding<Bool>, allowedContentTypes: [UTType],
        onCompletion: @escaping (_ result: Result<URL, any Error>) -> Void
    ) -> some View { self }
    public nonisolated func accessibilityElement() -> some View { self }
    public nonisolated func accessibilityLabel<S: StringProtocol>(_ label: S) -> some View { self }
    public nonisolated func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View { self }
}
