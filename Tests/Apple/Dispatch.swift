// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
//
// The declarations of Apple's module that the client library uses, for `Scripts/apple` alone.

open class DispatchQueue: @unchecked Sendable {
  public struct Attributes: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    public static let concurrent = Attributes(rawValue: 2)
  }

  public init(label: String, attributes: Attributes = []) {}
  public func setSpecific<T>(key: DispatchSpecificKey<T>, value: T?) {}
  public class func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? { nil }
  public func async(execute work: @escaping @Sendable () -> Void) {}
}

public final class DispatchSpecificKey<T>: @unchecked Sendable {
  public init() {}
}
