// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
//
// The declarations of Apple's module that the client library uses, for `Scripts/apple` alone.

@_exported import Darwin
@_exported import Dispatch
@_exported import Security

open class NSObject {
  public init() {}
}

public typealias Data = Security.Data

public struct URL: Sendable, Hashable {
  public init?(string: String) {}
  public var scheme: String? { nil }
  public var absoluteString: String { "" }
}

public struct URLRequest: Sendable, Hashable {
  public enum CachePolicy: UInt, Sendable { case reloadIgnoringLocalCacheData = 1 }
  public init(url: URL) {}
  public var httpMethod: String?
  public var httpBody: Data?
  public var timeoutInterval = 0.0
  public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {}
  public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {}
}

open class URLResponse: NSObject, @unchecked Sendable {}
open class HTTPURLResponse: URLResponse, @unchecked Sendable {
  open var statusCode: Int { 0 }
  open var allHeaderFields: [AnyHashable: Any] { [:] }
  @available(macOS 10.15, iOS 13, tvOS 13, *)
  open func value(forHTTPHeaderField field: String) -> String? { nil }
}

open class NSError: NSObject, Error, @unchecked Sendable {
  open var domain: String { "" }
  open var code: Int { 0 }
}
public func _convertErrorToNSError(_ error: any Error) -> NSError { NSError() }
extension Error {
  public var localizedDescription: String { "" }
}

public let NSURLErrorDomain = "NSURLErrorDomain"
public let NSPOSIXErrorDomain = "NSPOSIXErrorDomain"
public var NSURLErrorBadURL: Int { -1000 }
public var NSURLErrorUnsupportedURL: Int { -1002 }
public var NSURLErrorBadServerResponse: Int { -1011 }
public var NSURLErrorNetworkConnectionLost: Int { -1005 }
public var NSURLErrorSecureConnectionFailed: Int { -1200 }
public var NSURLErrorServerCertificateHasBadDate: Int { -1201 }
public var NSURLErrorServerCertificateUntrusted: Int { -1202 }
public var NSURLErrorServerCertificateHasUnknownRoot: Int { -1203 }
public var NSURLErrorServerCertificateNotYetValid: Int { -1204 }
public var NSURLErrorClientCertificateRejected: Int { -1205 }
public var NSURLErrorClientCertificateRequired: Int { -1206 }

open class OperationQueue: NSObject, @unchecked Sendable {
  open var underlyingQueue: DispatchQueue?
  open var maxConcurrentOperationCount = 0
}

open class HTTPCookieStorage: NSObject {}
open class URLCache: NSObject {}
open class URLCredentialStorage: NSObject {}

open class URLCredential: NSObject, @unchecked Sendable {
  public enum Persistence: UInt, Sendable { case none, forSession, permanent, synchronizable }
  public convenience init(user: String, password: String, persistence: Persistence) { self.init() }
  public convenience init(trust: SecTrust) { self.init() }
}

public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
open class URLProtectionSpace: NSObject {
  open var authenticationMethod: String { "" }
  open var serverTrust: SecTrust? { nil }
  open func isProxy() -> Bool { false }
}
open class URLAuthenticationChallenge: NSObject {
  open var protectionSpace: URLProtectionSpace { URLProtectionSpace() }
  open var previousFailureCount: Int { 0 }
}

open class URLSessionConfiguration: NSObject, @unchecked Sendable {
  open class var ephemeral: URLSessionConfiguration { URLSessionConfiguration() }
  open var httpCookieStorage: HTTPCookieStorage?
  open var httpShouldSetCookies = true
  open var urlCache: URLCache?
  open var urlCredentialStorage: URLCredentialStorage?
  open var requestCachePolicy = URLRequest.CachePolicy.reloadIgnoringLocalCacheData
  open var timeoutIntervalForRequest = 0.0
  open var timeoutIntervalForResource = 0.0
  open var waitsForConnectivity = false
  open var connectionProxyDictionary: [AnyHashable: Any]?
}

public protocol URLSessionDelegate: AnyObject, Sendable {
  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (
        URLSession.AuthChallengeDisposition, URLCredential?
      ) -> Void)
}
public protocol URLSessionTaskDelegate: URLSessionDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (
        URLSession.AuthChallengeDisposition, URLCredential?
      ) -> Void)
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}
@available(macOS 10.15, iOS 13, tvOS 13, *)
public protocol URLSessionWebSocketDelegate: URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
    didOpenWithProtocol protocol: String?)
  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
    didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?)
}

open class URLSession: NSObject, @unchecked Sendable {
  public enum AuthChallengeDisposition: Int, Sendable {
    case useCredential, performDefaultHandling, cancelAuthenticationChallenge
    case rejectProtectionSpace
  }
  public init(
    configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
    delegateQueue: OperationQueue?
  ) {}
  open func dataTask(with request: URLRequest) -> URLSessionDataTask { URLSessionDataTask() }
  @available(macOS 10.15, iOS 13, tvOS 13, *)
  open func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask {
    URLSessionWebSocketTask()
  }
  open func finishTasksAndInvalidate() {}
  open func invalidateAndCancel() {}
}

open class URLSessionTask: NSObject, @unchecked Sendable {
  open var taskIdentifier: Int { 0 }
  open var response: URLResponse? { nil }
  open func resume() {}
  open func cancel() {}
}
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}
@available(macOS 10.15, iOS 13, tvOS 13, *)
open class URLSessionWebSocketTask: URLSessionTask, @unchecked Sendable {
  public enum Message: Sendable {
    case data(Data)
    case string(String)
  }
  public struct CloseCode: RawRepresentable, Sendable {
    public let rawValue: Int
    public init?(rawValue: Int) { self.rawValue = rawValue }
  }
  open var maximumMessageSize: Int {
    get { 0 }
    set {}
  }
  public func send(
    _ message: Message, completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {}
  public func receive(
    completionHandler: @escaping @Sendable (Result<Message, any Error>) -> Void
  ) {}
  open func sendPing(pongReceiveHandler: @escaping @Sendable ((any Error)?) -> Void) {}
  open func cancel(with code: CloseCode, reason: Data?) {}
}

public struct NSRange {
  public init(_ region: Range<String.Index>, in target: String) {}
}
open class NSTextCheckingResult: NSObject {
  public struct CheckingType: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    public static let link = CheckingType(rawValue: 32)
  }
  public typealias CheckingTypes = UInt64
  open var url: URL? { nil }
}
public struct ObjCBool { public init(_ value: Bool) {} }
extension ObjCBool: ExpressibleByBooleanLiteral {
  public init(booleanLiteral value: Bool) {}
}
open class NSDataDetector: NSObject, @unchecked Sendable {
  public init(types: NSTextCheckingResult.CheckingTypes) throws {}
  open func enumerateMatches(
    in text: String, options: Int = 0, range: NSRange,
    using block: (NSTextCheckingResult?, Int, UnsafeMutablePointer<ObjCBool>) -> Void
  ) {}
}

extension String {
  public enum Encoding { case utf8 }
  public init(contentsOfFile path: String, encoding: Encoding) throws { self = "" }
}
extension StringProtocol {
  public func range(of text: String, range: Range<Index>? = nil) -> Range<Index>? { nil }
}
