/// A message that was sent and not answered yet.
struct PendingSend {
  let channel: UInt32
  /// When it was to be sent, in nanoseconds of the monotonic clock.
  let intended: Int64
}

/// Tells apart what the requests of one connection ask, by their ids.
enum RequestID {
  static let open: Int64 = 1
  static let firstCreate: Int64 = 100
  static let firstEnter: Int64 = 200
  static let firstSend: Int64 = 1000
}
