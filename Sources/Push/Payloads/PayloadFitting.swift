/// Shortens a notification until its payload fits.
extension PushNotification {
  /// The names that remain of a notification which is too large without its body.
  private static let shortNameLength = 40

  /// The payload of the notification, at most `limit` bytes if there is any such payload.
  ///
  /// The body is cut between two characters. Before that, the application's data is left out if it takes
  /// more than a quarter: the app loads the message, but a person reads the body. If that is not enough, the
  /// names are cut too.
  func payload(within limit: Int, _ encode: (PushNotification) -> [UInt8]) -> [UInt8] {
    let whole = encode(self)
    guard whole.count > limit else { return whole }
    var notification = self
    let dataByteCount = whole.count - encode(with(\.data, "")).count
    if dataByteCount > limit / 4 { notification.data = "" }
    for reduce in [{ _ in }, Self.dropCustomData, Self.cutNames] {
      reduce(&notification)
      let whole = encode(notification)
      if whole.count <= limit { return whole }
      if let payload = notification.cutBody(within: limit, encode) { return payload }
    }
    return encode(notification.with(\.body, ""))
  }

  /// The payload with as much of the body as fits; `nil` if it does not fit without a body.
  private func cutBody(within limit: Int, _ encode: (PushNotification) -> [UInt8]) -> [UInt8]? {
    var fitting = encode(with(\.body, body.isEmpty ? "" : "…"))
    guard fitting.count <= limit else { return nil }
    let ends = ends(ofBytes: limit - fitting.count)
    // Without escapes, the longest body fits at once.
    var (low, high, middle) = (0, ends.count, ends.count)
    while low < high {
      let payload = encode(with(\.body, body[..<ends[middle - 1]] + "…"))
      if payload.count <= limit {
        fitting = payload
        low = middle
      } else {
        high = middle - 1
      }
      middle = (low + high + 1) / 2
    }
    return fitting
  }

  /// The ends of the body's characters up to a number of bytes, which take at least as many in a payload.
  private func ends(ofBytes limit: Int) -> [String.Index] {
    var ends: [String.Index] = []
    var (byteCount, index) = (0, body.startIndex)
    while index < body.endIndex {
      byteCount += body[index].utf8.count
      guard byteCount <= limit else { break }
      index = body.index(after: index)
      ends.append(index)
    }
    return ends
  }

  private static func dropCustomData(_ notification: inout PushNotification) {
    notification.data = ""
    notification.customType = ""
  }

  private static func cutNames(_ notification: inout PushNotification) {
    for name in [\PushNotification.title, \.channelName] {
      // Characters may consist of any number of scalars.
      let scalars = notification[keyPath: name].unicodeScalars.prefix(shortNameLength)
      notification[keyPath: name] = String(scalars)
    }
    notification.sound = "default"
  }

  private func with(
    _ member: WritableKeyPath<PushNotification, String>, _ text: String
  ) -> PushNotification {
    var copy = self
    copy[keyPath: member] = text
    return copy
  }
}
