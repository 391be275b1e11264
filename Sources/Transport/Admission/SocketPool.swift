/// The two kinds of listener whose connections are bounded apart from one another.
package enum SocketPool: UInt8, Sendable, CaseIterable {
  case clients
  /// The operator's tools: health checks and metrics get through when clients use up their share.
  case operations

  var index: Int { Int(rawValue) }
}
