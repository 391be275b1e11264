// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
//
// The declarations of Apple's module that the client library uses, for `Scripts/apple` alone.

public struct pthread_mutex_t { public init() {} }
public struct pthread_mutexattr_t { public init() {} }

@discardableResult public func pthread_mutex_init(
  _ mutex: UnsafeMutablePointer<pthread_mutex_t>, _ options: UnsafePointer<pthread_mutexattr_t>?
) -> Int32 { 0 }
@discardableResult public func pthread_mutex_destroy(
  _ mutex: UnsafeMutablePointer<pthread_mutex_t>
) -> Int32 { 0 }
@discardableResult public func pthread_mutex_lock(
  _ mutex: UnsafeMutablePointer<pthread_mutex_t>
) -> Int32 { 0 }
@discardableResult public func pthread_mutex_unlock(
  _ mutex: UnsafeMutablePointer<pthread_mutex_t>
) -> Int32 { 0 }

public typealias mode_t = UInt16
public typealias off_t = Int64

public struct stat {
  public var st_mode: mode_t = 0
  public var st_size: off_t = 0
  public init() {}
}

public var S_IFMT: mode_t { 0o170000 }
public var S_IFREG: mode_t { 0o100000 }
public var O_RDONLY: Int32 { 0 }
public var O_NONBLOCK: Int32 { 4 }
public var O_CLOEXEC: Int32 { 0x100_0000 }
public var EINTR: Int32 { 4 }
public var EMSGSIZE: Int32 { 40 }
public var errno: Int32 { 0 }

public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { 0 }
@discardableResult public func close(_ descriptor: Int32) -> Int32 { 0 }
public func fstat(_ descriptor: Int32, _ status: UnsafeMutablePointer<stat>!) -> Int32 { 0 }
public func pread(
  _ descriptor: Int32, _ buffer: UnsafeMutableRawPointer!, _ count: Int, _ offset: off_t
) -> Int { 0 }
public func strerror(_ code: Int32) -> UnsafeMutablePointer<CChar>! { nil }
