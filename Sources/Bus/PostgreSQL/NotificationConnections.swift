internal import PostgreSQL
internal import Synchronization

/// The two connections of a bus, passed from the thread that opens them to the loop that uses them.
final class NotificationConnections: Sendable {
  struct Pair {
    let listener: PostgreSQLConnection
    let sender: PostgreSQLConnection
  }

  private let pair: Mutex<Pair?>

  private init(_ pair: sending Pair) {
    self.pair = Mutex(pair)
  }

  /// Connects, and waits until both connections are ready; blocks, so not for an event loop's thread.
  static func open(
    _ url: String, listeningTo channels: [String]
  ) -> Result<NotificationConnections, PostgreSQLError> {
    var options = PostgreSQLConnection.Options()
    options.applicationName = "parley bus"
    options.connectTimeout = 2
    options.answerTimeout = 2000
    do throws(PostgreSQLError) {
      let listener = try PostgreSQLConnection(url, options)
      let listening = channels.map { "LISTEN \"\($0)\"" }.joined(separator: "; ")
      try listener.execute(script: listening)
      let sender = try PostgreSQLConnection(url, options)
      // Messages lost in a crash are lost with the connections anyway. The plan is made once.
      try sender.execute(
        script: "SET synchronous_commit = off; SET plan_cache_mode = force_generic_plan")
      _ = try sender.execute(NotificationSender.statement, [.texts([]), .texts([])])
      return .success(NotificationConnections(Pair(listener: listener, sender: sender)))
    } catch {
      return .failure(error)
    }
  }

  /// Takes the connections, once.
  func take() -> sending Pair? {
    pair.withLock { pair in
      let taken = pair
      pair = nil
      return taken
    }
  }
}
