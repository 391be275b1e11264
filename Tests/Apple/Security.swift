// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
//
// The declarations of Apple's module that the client library uses, for `Scripts/apple` alone.

// Aliases, because the conversions between values and Objective-C's classes do not exist on Linux.
public typealias CFString = String
public typealias CFData = Data
public typealias CFArray = [AnyObject]
public final class CFError {}
public final class SecTrust {}
public final class SecPolicy {}
public final class SecCertificate {}
public typealias OSStatus = Int32

public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy { SecPolicy() }
@discardableResult public func SecTrustSetPolicies(
  _ trust: SecTrust, _ policies: AnyObject
) -> OSStatus { 0 }
@discardableResult public func SecTrustSetAnchorCertificates(
  _ trust: SecTrust, _ anchors: CFArray?
) -> OSStatus { 0 }
@discardableResult public func SecTrustSetAnchorCertificatesOnly(
  _ trust: SecTrust, _ only: Bool
) -> OSStatus { 0 }
public func SecCertificateCreateWithData(
  _ allocator: AnyObject?, _ data: CFData
) -> SecCertificate? { nil }
public func SecTrustEvaluateWithError(
  _ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?
) -> Bool { true }

/// Foundation's.
public struct Data: Sendable, Hashable, RandomAccessCollection {
  public typealias Index = Int
  public var startIndex: Int { 0 }
  public var endIndex: Int { 0 }
  public subscript(position: Int) -> UInt8 { 0 }
  public init(_ bytes: [UInt8]) {}
  public init?(base64Encoded text: String) {}
}
