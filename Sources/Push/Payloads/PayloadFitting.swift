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
      if let payload = notification.cutBody(within: limit, encode) { return payload }
    }
    return encode(notification.with(\.body, ""))
  }

  /// The payload with as much of the body as fits; `nil` if it does not fit without a body.
  private func cutBody(within limit: Int, _ encode: (PushNotification) -> [UInt8]) -> [UInt8]? {
    let whole = encode(self)
    guard whole.count > limit else { return whole }
    // A payload never has fewer bytes than its body has characters.
    let ends = Array(body.indices.prefix(limit))
    var fitting: [UInt8]?
    var (low, high) = (0, ends.count - 1)
    while low < high {
      let count = (low + high + 1) / 2
      let payload = encode(with(\.body, body[..<ends[count]] + "…"))
      if payload.count <= limit {
        fitting = payload
        low = count
      } else {
        high = count - 1
      }
    }
    if let fitting { return fitting }
    let empty = encode(with(\.body, body.isEmpty ? "" : "…"))
    return empty.count <= limit ? empty : nil
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
