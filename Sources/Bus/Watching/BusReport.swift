/// The events of a bus, derived from the states of its servers.
final class BusReport {
  private let handler: BusHandler
  private var open: Set<String> = []
  /// The reason last reported for each server that is down.
  private var reasons: [String: String] = [:]

  init(_ handler: @escaping BusHandler) {
    self.handler = handler
  }

  func received(_ message: [UInt8]) {
    handler(.message(message))
  }

  /// Records that messages flow through a server.
  func opened(_ server: String) {
    reasons[server] = nil
    let isFirst = open.isEmpty
    open.insert(server)
    if isFirst { handler(.up) }
  }

  /// Records that a server was lost, or that an attempt to reach it has failed.
  func failed(_ server: String, _ reason: String) {
    let wasOpen = open.remove(server) != nil
    guard wasOpen || reasons[server] != reason else { return }
    reasons[server] = reason
    handler(.down(reason: reason))
    if !open.isEmpty { handler(.up) }
  }
}
